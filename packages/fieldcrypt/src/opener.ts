// Decryption. Call `person` once per record, and `open` once per field. The value of a text that the field also had in
// the person's previous event comes from a cache, while its keys exist. `open` returns `opened`, `erased` (which is
// final), or `unknown`: a key record isn't available, and the caller must wait. Invalid input throws `corrupt`.
import { openKeyLink } from './derivation.ts'
import type { EraKeys } from './era-keys.ts'
import { createLru } from './cache/lru.ts'
import { peopleCache } from './cache/people-cache.ts'
import type { CacheOptions, PeopleCache } from './cache/people-cache.ts'
import { Person } from './person.ts'
import type { FieldAt, NoKey } from './person.ts'
import { checkForm, openText } from './sealed-text.ts'
import type { KeyTime } from './era.ts'

export type Opened = { readonly kind: 'opened'; readonly value: string } | { readonly kind: NoKey }

export type Opener = PeopleCache & {
  /**
   * Returns the person of a record by its `keyLink` and time; `unknown` if the key record `label` is missing. Throws
   * `corrupt` for a keyLink of another stream or epoch.
   */
  person(keys: EraKeys, keyLink: Buffer, time: KeyTime): Person | 'unknown'
  /** Throws `corrupt` for a text that wasn't encrypted for this person, consent, level and field path. */
  open(person: Person, field: FieldAt, text: string): Opened
}

const NO_KEY = {
  erased: { kind: 'erased' },
  unknown: { kind: 'unknown' },
} as const satisfies Record<NoKey, Opened>

export function createOpener({ entriesMax }: CacheOptions): Opener {
  const people = createLru<Person>(entriesMax)

  return {
    person(keys, keyLink, time) {
      const cacheKey = keyLink.toString('latin1')
      const known = people.get(keys.streamId, cacheKey)
      if (known?.holds(keys, time.epoch)) return known
      if (known?.epoch === time.epoch && known.moveTo(keys)) return known
      const person = openPerson(keys, keyLink, time)
      if (person !== 'unknown') people.put(keys.streamId, cacheKey, person)
      return person
    },
    open(person, field, text) {
      const known = person.openedValue(field, text)
      if (known !== undefined) return { kind: 'opened', value: known }
      const weight = person.weight
      const textOf = person.textOf(field)
      if (typeof textOf === 'string') {
        checkForm(person.id, text)
        return NO_KEY[textOf]
      }
      if (person.weight !== weight) people.settle(person)
      const value = openText(textOf, text)
      person.keepSealed(field, value, text)
      return { kind: 'opened', value }
    },
    ...peopleCache(people, hasKeys),
  }
}

const hasKeys = (person: Person, keys: EraKeys): boolean =>
  person.moveTo(keys) && (person.weight > 1 || person.isWhole())

function openPerson(keys: EraKeys, keyLink: Buffer, time: KeyTime): Person | 'unknown' {
  if (keys.era !== time.era) throw new RangeError('these are the keys of another era')
  if (keys.label === undefined) return 'unknown'
  const link = openKeyLink(keys.label, keyLink, time.epoch)
  // Copied, because a slice of the record's buffer would keep the whole batch in memory.
  return new Person(keys, { keyLink: copyOf(keyLink), generation: undefined, link, time })
}

function copyOf(bytes: Buffer): Buffer {
  const copy = Buffer.alloc(bytes.length)
  bytes.copy(copy)
  return copy
}
