// The functions of `Sealer` and `Opener` for their cached people.
import type { EraKeys } from '../era-keys.ts'
import type { Lru } from './lru.ts'
import type { Person } from '../person.ts'

export type CacheOptions = {
  /**
   * The limit over all streams. It counts each person, and each level whose key was computed for a person. Each of these
   * entries takes about 1 kB: 0.7 kB of objects, and 0.35 kB of the module's memory (ADR 39), which does not shrink.
   * Resident memory is up to twice that, because V8 collects garbage late. A stream uses at most half.
   */
  readonly entriesMax: number
}

export type PeopleCache = {
  /**
   * Call after a change of a tree. It drops entries under a removed prefix now, not at their next use. It checks each
   * cached person of this stream. `keysOf` returns the current keys of an era.
   */
  refresh(streamId: string, keysOf: (era: number) => EraKeys | undefined): void
  /** Call when a stream is gone. */
  forget(streamId: string): void
  clear(): void
  /** The number of cached people and levels, for a metric. */
  size(): number
}

/** `stays` moves a person to new keys. It returns whether the person stays in the cache. */
export function peopleCache(
  people: Lru<Person>,
  stays: (person: Person, keys: EraKeys) => boolean,
): PeopleCache {
  return {
    refresh(streamId, keysOf) {
      for (const person of people.entriesOf(streamId)) {
        const { weight } = person
        const keys = keysOf(person.era)
        if (keys === undefined || !stays(person, keys)) people.remove(person)
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
