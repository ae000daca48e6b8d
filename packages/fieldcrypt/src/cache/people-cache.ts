// The functions of `Sealer` and `Opener` for their cached people.
import type { EraKeys } from '../era-keys.ts'
import type { Lru } from './lru.ts'
import type { Person } from '../person.ts'

export type CacheOptions = {
  /**
   * The maximum number of entries, for all streams together. An entry is a person, or a cipher of a person's level and
   * consent. An entry takes about 1 kB: 0.6 kB of objects, and 0.35 kB of the WebAssembly module's memory (ADR 39),
   * which does not shrink. Resident memory is up to twice as large, because V8 collects garbage late.
   */
  readonly entriesMax: number
}

export type PeopleCache = {
  /**
   * Call after a change of a tree. Checks all cached people of the stream, and drops those under a removed prefix now,
   * not at their next use. `keysOf` returns the current keys of an era.
   */
  refresh(streamId: string, keysOf: (era: number) => EraKeys | undefined): void
  /** Call when a stream was deleted. */
  forget(streamId: string): void
  clear(): void
  size(): number
}

/** `stays` moves a person to new keys, and returns whether the person stays in the cache. */
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
