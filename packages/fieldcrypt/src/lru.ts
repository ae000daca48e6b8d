// A cache of bounded weight, shared by streams. When it is full, the least recently used entry is evicted (in a large
// cache, approximately). No stream may have more than half, so a greedy stream evicts its own entries. Evicted entries
// are wiped. Entries may grow while they are used; then `settle` must be called. The entry in use is never evicted,
// however heavy.
import { RingLink } from './ring-list.ts'

export type Cacheable = {
  readonly weight: number
  wipe(): void
}

/**
 * The place of an entry. It is separate from the entry, because keys of a cache may be personal data, and entries may
 * be logged.
 */
type Place<Entry> = {
  readonly entry: Entry
  readonly share: Share<Entry>
  readonly key: string
  readonly inAll: RingLink<Place<Entry>>
  readonly inShare: RingLink<Place<Entry>>
  /** As last counted. */
  weight: number
  /** The number of uses of the cache when it last became the newest. */
  newestAt: number
}

type Share<Entry> = {
  readonly stream: string
  readonly places: Map<string, Place<Entry>>
  readonly order: RingLink<Place<Entry>>
  weight: number
}

/** For code that creates and uses entries. */
export type Lru<Entry> = {
  get(stream: string, key: string): Entry | undefined
  /** Replaces the entry of this key. */
  put(stream: string, key: string, entry: Entry): void
  /** Must be called when an entry's weight may have changed. */
  settle(entry: Entry): void
}

/** For code that removes or counts entries. */
export type LruEntries<Entry> = Pick<Lru<Entry>, 'settle'> & {
  /** A copy of the list of a stream's entries. */
  entriesOf(stream: string): Entry[]
  remove(entry: Entry): void
  clear(): void
  weight(): number
}

/** A small integer, which V8 stores in place. */
const LONG_AGO = -1_000_000_000

export function createLru<Entry extends Cacheable>(
  weightMax: number,
): Lru<Entry> & LruEntries<Entry> {
  const shareMax = Math.max(1, Math.floor(weightMax / 2))
  const shares = new Map<string, Share<Entry>>()
  const places = new Map<Entry, Place<Entry>>()
  const order = new RingLink<Place<Entry>>()
  /**
   * Moving an entry touches its neighbours, which may be anywhere in memory. So an entry that is new enough isn't
   * moved.
   */
  const newForUses = weightMax >> 4
  let uses = 0
  let total = 0

  function use(place: Place<Entry>): void {
    uses += 1
    if (uses - place.newestAt <= newForUses) return
    place.newestAt = uses
    place.inAll.moveTo(order)
    place.inShare.moveTo(place.share.order)
  }

  /** Counts what a place weighs now, and makes room. */
  function weigh(place: Place<Entry>): void {
    const { share } = place
    const more = place.entry.weight - place.weight
    total += more
    share.weight += more
    place.weight += more
    // The place in use is the newest, so it is the oldest only if it is alone.
    while (share.weight > shareMax && share.order.oldest !== place) evict(share.order.oldest)
    while (total > weightMax && order.oldest !== place) evict(order.oldest)
  }

  function evict(place: Place<Entry> | undefined): void {
    if (place === undefined) return
    const { share, entry } = place
    places.delete(entry)
    share.places.delete(place.key)
    place.inAll.unlink()
    place.inShare.unlink()
    share.weight -= place.weight
    total -= place.weight
    if (share.places.size === 0) shares.delete(share.stream)
    entry.wipe()
  }

  function shareOf(stream: string): Share<Entry> {
    const known = shares.get(stream)
    if (known !== undefined) return known
    const share = { stream, places: new Map(), order: new RingLink<Place<Entry>>(), weight: 0 }
    shares.set(stream, share)
    return share
  }

  return {
    get(stream, key) {
      const place = shares.get(stream)?.places.get(key)
      if (place === undefined) return undefined
      use(place)
      return place.entry
    },
    put(stream, key, entry) {
      evict(shares.get(stream)?.places.get(key))
      const place = newPlace(shareOf(stream), key, entry)
      place.share.places.set(key, place)
      places.set(entry, place)
      use(place)
      weigh(place)
    },
    settle(entry) {
      const place = places.get(entry)
      if (place === undefined) return
      place.newestAt = LONG_AGO // what grows becomes the newest, so that it isn't evicted first
      use(place)
      weigh(place)
    },
    remove: (entry) => evict(places.get(entry)),
    entriesOf: (stream) => [...(shares.get(stream)?.places.values() ?? [])].map((p) => p.entry),
    clear() {
      for (const place of places.values()) evict(place)
    },
    weight: () => total,
  }
}

function newPlace<Entry>(share: Share<Entry>, key: string, entry: Entry): Place<Entry> {
  const inAll = new RingLink<Place<Entry>>()
  const inShare = new RingLink<Place<Entry>>()
  const place = { entry, share, key, inAll, inShare, weight: 0, newestAt: LONG_AGO }
  inAll.entry = place
  inShare.entry = place
  return place
}
