// What `Sealer` and `Opener` offer about the people that they keep.
import type { EraKeys } from './era-keys.ts'
import type { Lru } from './lru.ts'
import type { Person } from './person.ts'

export type CacheOptions = {
  /**
   * The bound over all streams, counting people and each level derived for one. Each takes about 0.9 kB of live
   * objects, and up to four times that resident, because V8 collects garbage late. No stream takes more than half.
   */
  readonly entriesMax: number
}

export type PeopleCache = {
  /**
   * After a change of the tree, drops what is under a removed prefix now, not at its next use. Checks each person kept
   * of this stream and era.
   */
  refresh(keys: EraKeys): void
  /** To be called when a stream is gone. */
  forget(streamId: string): void
  clear(): void
  /** People and levels kept, for a metric. */
  size(): number
}

/** `stays` moves a person to new keys, and returns whether it is still worth keeping. */
export function peopleCache(
  people: Lru<Person>,
  stays: (person: Person, keys: EraKeys) => boolean,
): PeopleCache {
  return {
    refresh(keys) {
      for (const person of people.entriesOf(keys.streamId)) {
        if (person.era !== keys.era) continue
        const { weight } = person
        if (!stays(person, keys)) people.remove(person)
        else if (person.weight !== weight) people.settle(person)
      }
    },
    forget(streamId) {
      for (const person of people.entriesOf(streamId)) people.remove(person)
    },
    clear: people.clear,
    size: people.weight,
  }
}
