// A cache of bounded weight that streams share. When it is full, it evicts the least recently used entry
// (approximately, in a large cache). A stream may use at most half, so a greedy stream evicts its own entries. Evicted
// entries are wiped. `put` and `settle` never evict their own entry.
import { RingLink } from './ring-list.ts'

export type Cacheable = {
  readonly weight: number
  wipe(): void
}

/**
 * The position of an entry in the cache. It is a separate object, because `key` may be personal data, and entries may
 * be logged.
 */
type Place<Entry> = {
  readonly entry: Entry
  readonly share: Share<Entry>
  readonly key: string
  readonly inAll: RingLink<Place<Entry>>
  readonly inShare: RingLink<Place<Entry>>
  /** The entry's weight when it was last counted. */
  weight: number
  /** The value of `State.uses` when this place last became the newest. */
  newestAt: number
}

type Share<Entry> = {
  readonly stream: string
  readonly places: Map<string, Place<Entry>>
  readonly order: RingLink<Place<Entry>>
  weight: number
}

export type Lru<Entry> = {
  get(stream: string, key: string): Entry | undefined
  put(stream: string, key: string, entry: Entry): void
  /** Must be called when an entry's weight may have changed. */
  settle(entry: Entry): void
  remove(entry: Entry): void
  /** Returns a new list of a stream's entries. */
  entriesOf(stream: string): Entry[]
  clear(): void
  weight(): number
}

type State<Entry> = {
  readonly weightMax: number
  readonly shares: Map<string, Share<Entry>>
  readonly places: Map<Entry, Place<Entry>>
  readonly order: RingLink<Place<Entry>>
  weight: number
  uses: number
}

/** Below any use count. V8 stores this integer without an allocation. */
const LONG_AGO = -1_000_000_000

export function createLru<Entry extends Cacheable>(weightMax: number): Lru<Entry> {
  const shares = new Map<string, Share<Entry>>()
  const places = new Map<Entry, Place<Entry>>()
  const order = new RingLink<Place<Entry>>()
  const state: State<Entry> = { weightMax, shares, places, order, weight: 0, uses: 0 }
  return {
    get(stream, key) {
      const place = shares.get(stream)?.places.get(key)
      if (place === undefined) return undefined
      use(state, place)
      return place.entry
    },
    put(stream, key, entry) {
      evict(state, shares.get(stream)?.places.get(key))
      const place = newPlace(shareOf(shares, stream), key, entry)
      place.share.places.set(key, place)
      places.set(entry, place)
      use(state, place)
      weigh(state, place)
    },
    settle(entry) {
      const place = places.get(entry)
      if (place === undefined) return
      // a growing entry becomes the newest, so that it isn't evicted first
      place.newestAt = LONG_AGO
      use(state, place)
      weigh(state, place)
    },
    remove: (entry) => evict(state, places.get(entry)),
    entriesOf: (stream) => [...(shares.get(stream)?.places.values() ?? [])].map((p) => p.entry),
    clear() {
      for (const place of places.values()) evict(state, place)
    },
    weight: () => state.weight,
  }
}

/**
 * Marks the place as used. A place that is new enough isn't moved, because moving accesses its neighbours, which may be
 * anywhere in memory.
 */
function use<Entry>(state: State<Entry>, place: Place<Entry>): void {
  state.uses += 1
  if (state.uses - place.newestAt <= state.weightMax >> 4) return
  place.newestAt = state.uses
  place.inAll.moveTo(state.order)
  place.inShare.moveTo(place.share.order)
}

/** Counts the current weight of a place, and evicts other places if a limit is exceeded. */
function weigh<Entry extends Cacheable>(state: State<Entry>, place: Place<Entry>): void {
  const { weightMax, order } = state
  const { share } = place
  const more = place.entry.weight - place.weight
  state.weight += more
  share.weight += more
  place.weight += more
  const shareMax = Math.max(1, Math.floor(weightMax / 2))
  // `place` is the newest, so it is the oldest only if it is the only one.
  while (share.weight > shareMax && share.order.oldest !== place) evict(state, share.order.oldest)
  while (state.weight > weightMax && order.oldest !== place) evict(state, order.oldest)
}

function evict<Entry extends Cacheable>(state: State<Entry>, place: Place<Entry> | undefined) {
  if (place === undefined) return
  const { share, entry } = place
  state.places.delete(entry)
  share.places.delete(place.key)
  place.inAll.unlink()
  place.inShare.unlink()
  share.weight -= place.weight
  state.weight -= place.weight
  if (share.places.size === 0) state.shares.delete(share.stream)
  entry.wipe()
}

function shareOf<Entry>(shares: Map<string, Share<Entry>>, stream: string): Share<Entry> {
  const known = shares.get(stream)
  if (known !== undefined) return known
  const share = { stream, places: new Map(), order: new RingLink<Place<Entry>>(), weight: 0 }
  shares.set(stream, share)
  return share
}

function newPlace<Entry>(share: Share<Entry>, key: string, entry: Entry): Place<Entry> {
  const inAll = new RingLink<Place<Entry>>()
  const inShare = new RingLink<Place<Entry>>()
  const place = { entry, share, key, inAll, inShare, weight: 0, newestAt: LONG_AGO }
  inAll.entry = place
  inShare.entry = place
  return place
}
