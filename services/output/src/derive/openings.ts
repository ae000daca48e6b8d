// What holds values that were opened and isn't stored yet, and with keys of when they were opened. What this replica says of how far
// it has followed `weir.keys` must be true of them, too: an erasure is applied when nothing that was opened before it can be stored
// any more (docs/forgetting.md).

export type Positions = { readonly control: bigint; readonly keys: bigint }

export type Openings = {
  /** Before values are opened; what it gives is to be called when they are stored, or can't be any more. */
  begin(): () => void
  /** Of whoever is behind: the tables, or what was opened before they got so far. */
  positions(): Positions
}

export function createOpenings(follower: { positions(): Positions }): Openings {
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
