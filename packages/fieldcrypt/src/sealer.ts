// Encryption. A person's keys are derived once and cached. After that a field costs a few AES blocks and base64, or
// only a look-up if it had the same value in the person's previous event. The text is the same with and without a
// cache.
import { hash } from 'node:crypto'
import { keyLinkOf } from './derivation.ts'
import type { EraKeys } from './era-keys.ts'
import { keyUnavailable } from './errors.ts'
import { currentOf } from './tree/forget.ts'
import { createLru } from './cache/lru.ts'
import { levelPart } from './tree/parts.ts'
import { peopleCache } from './cache/people-cache.ts'
import type { CacheOptions, PeopleCache } from './cache/people-cache.ts'
import { Person } from './person.ts'
import type { FieldAt } from './person.ts'
import { sealText } from './sealed-text.ts'
import type { KeyTime } from './era.ts'

export type Sealer = PeopleCache & {
  /**
   * Returns the person for a key field value, in the current generation. Throws `key_unavailable` if a key record is
   * missing, and `not_well_formed`.
   */
  person(keys: EraKeys, keyFieldValue: string, time: KeyTime): Person
  /** Returns the encrypted text of a value. Throws the same errors as `person`. */
  seal(person: Person, field: FieldAt, value: string): string
}

// Longer values are cached under their hash. A hash has 64 digits, so no shorter value equals it.
const VALUE_KEPT_MAX = 63

const cacheKeyOf = (value: string): string =>
  value.length <= VALUE_KEPT_MAX ? value : hash('sha256', value, 'hex')

export function createSealer({ entriesMax }: CacheOptions): Sealer {
  const people = createLru<Person>(entriesMax)

  return {
    person(keys, keyFieldValue, time) {
      const cacheKey = cacheKeyOf(keyFieldValue)
      const known = people.get(keys.streamId, cacheKey)
      if (known?.holds(keys, time.epoch)) return known
      if (known?.epoch === time.epoch && staysCurrent(known, keys)) return known
      const person = derivePerson(keys, keyFieldValue, time)
      people.put(keys.streamId, cacheKey, person)
      return person
    },
    seal(person, field, value) {
      const known = person.sealedText(field, value)
      if (known !== undefined) return known
      const weight = person.weight
      const textOf = person.textOf(field)
      if (typeof textOf === 'string') {
        throw keyUnavailable(person.streamId, `era ${person.era}`, levelPart(field.level))
      }
      if (person.weight !== weight) people.settle(person)
      const text = sealText(textOf, value)
      person.keepSealed(field, value, text)
      return text
    },
    ...peopleCache(people, staysCurrent),
  }
}

/** Returns false if a cached person must be derived again, such as everyone with a generation above 0. */
const staysCurrent = (person: Person, keys: EraKeys): boolean =>
  person.moveTo(keys) && person.generation === 0 && person.isWhole()

function derivePerson(keys: EraKeys, keyFieldValue: string, time: KeyTime): Person {
  if (keys.era !== time.era) throw new RangeError('these are the keys of another era')
  if (keys.link === undefined) throw keyUnavailable(keys.streamId, `term ${keys.term}`, 'link')
  if (keys.label === undefined) throw keyUnavailable(keys.streamId, `era ${keys.era}`, 'label')
  const current = currentOf(keys.tree, keys.link.linkKey, keyFieldValue)
  if (current === 'unknown') throw keyUnavailable(keys.streamId, `term ${keys.term}`, 'tree')
  const keyLink = keyLinkOf(keys.label, current.link, time.epoch)
  return new Person(keys, { keyLink, ...current, time })
}
