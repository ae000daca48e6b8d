// Tracks work with decrypted values that aren't stored yet, and the position in `weir.keys` when the work began. Until
// the work ends, this replica must not report a later position. An erasure counts as applied only when no value that
// was decrypted before it can be stored any more (docs/forgetting.md).

export type StatePositions = { readonly control: bigint; readonly keys: bigint }

export type Openings = {
  /**
   * Call before values are decrypted. Call the returned function when the values are stored, or can't be stored any
   * more.
   */
  begin(): () => void
  /** Returns how far control state has been read. `keys` is lower if unfinished work began at a lower position. */
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
