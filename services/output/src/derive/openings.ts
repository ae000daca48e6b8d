// Knows which work holds decrypted values that aren't stored yet, and how far `weir.keys` was followed when it began.
// The position in `weir.keys` that this replica reports must hold for this work, too: an erasure is applied when
// nothing that was decrypted before it can be stored any more (docs/forgetting.md).

export type StatePositions = { readonly control: bigint; readonly keys: bigint }

export type Openings = {
  /** Call this before values are decrypted, and what it returns when they are stored, or can't be any more. */
  begin(): () => void
  /** The lower position: of the tables, or of unfinished work. */
  positions(): StatePositions
}

export function createOpenings(follower: { positions(): StatePositions }): Openings {
  const open = new Set<{ readonly keys: bigint }>()
  return {
    begin() {
      const opening = { keys: follower.positions().keys }
      open.add(opening)
      return () => void open.delete(opening)
    },
    positions() {
      const { control, keys } = follower.positions()
      const behind = [...open].reduce((least, one) => (one.keys < least ? one.keys : least), keys)
      return { control, keys: behind }
    },
  }
}
