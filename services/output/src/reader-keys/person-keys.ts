// Finds the keys of one person for a reader who decrypts (docs/keys.md Keys for readers). Pure except for the keys.
import { level, string } from '@weir/http-api'
import { consentOf, keyTimeOf, prefixesOf } from '@weir/fieldcrypt'
import type { EraKeys, Opener, Person } from '@weir/fieldcrypt'
import type { InputStream } from '@weir/control-state'
import { z } from 'zod'
import type { Leveled } from '../derive/derive.ts'
import { notKnownYet, unlessCorrupt } from '../derive/errors.ts'
import { withdrawnBy } from '../derive/known-eras.ts'
import type { KnownEra } from '../derive/known-eras.ts'
import { levelsOf } from '../derive/levels.ts'

const timeRule = 'must be a time in milliseconds since 1970, as in the header svc-time'
const levelRule = 'must be a whole number from 0 to 255'

/** What a reader sends about an event to decrypt. */
export const askedPerson = z.strictObject({
  keyLink: z.string('must be the key of the record'),
  timestamp: z.int(timeRule),
  consentLevels: z
    .array(z.int(levelRule).min(0, levelRule).max(255, levelRule), 'must be the event’s levels')
    .max(256, 'must have at most 256 levels'),
})
export type AskedPerson = z.infer<typeof askedPerson>

const yes = z.literal(true)

export const answeredPerson = z.strictObject({
  keyLink: string,
  timestamp: z.int(),
  consentLevels: z.array(level).readonly(),
  keys: z
    .record(string, string)
    .describe('by level: base64 of the 64 bytes for AES-256-SIV')
    .optional(),
  withdrawn: z
    .array(level)
    .describe('beside keys: levels of the output that nobody can decrypt any more')
    .optional(),
  erased: yes.describe('nobody can decrypt fields of this person any more').optional(),
  expired: yes.describe("the event is older than the stream's keyRetentionDays").optional(),
  refused: yes
    .describe('an event with this consent is not in the output, or not any more since a withdrawal')
    .optional(),
  unknown: yes.describe('no event of the input has this keyLink at this time').optional(),
})
export type AnsweredPerson = z.infer<typeof answeredPerson>

type PersonKeysDeps = {
  readonly opener: Pick<Opener, 'person'>
  readonly eraKeys: (era: number) => KnownEra
  /** The levels for which an era or a term has keys. */
  readonly levelsIn: {
    era(era: number): readonly number[]
    term(term: number): readonly number[]
  }
}

type Found = Pick<
  AnsweredPerson,
  'keys' | 'withdrawn' | 'erased' | 'expired' | 'refused' | 'unknown'
>

const hourMs = 3_600_000
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The returned function throws DeriveError `derive.not_known_yet` if a key can't be read. */
export function createPersonKeys(
  { opener, eraKeys, levelsIn }: PersonKeysDeps,
  output: Leveled,
  { rotationHours, streamId }: Pick<InputStream, 'rotationHours' | 'streamId'>,
): (asked: AskedPerson) => AnsweredPerson {
  const levels = levelsOf(output)

  const find = ({ keyLink, timestamp, consentLevels }: AskedPerson): Found => {
    const time = unlessCorrupt(() => keyTimeOf(timestamp, rotationHours * hourMs))
    if (time === undefined || !uuid.test(keyLink)) return { unknown: true }
    const keys = eraKeys(time.era)
    if (keys === undefined) throw notKnownYet(`the keys of stream ${streamId}, era ${time.era},`)
    if (keys === 'never') return { unknown: true }
    if (keys === 'erased') return { expired: true }
    const bytes = Buffer.from(keyLink.replaceAll('-', ''), 'hex')
    const person = unlessCorrupt(() => opener.person(keys, bytes, time))
    if (person === undefined) return { unknown: true }
    if (person === 'unknown') throw notKnownYet(`the label key of ${streamId}, era ${time.era},`)
    const withdrawn = withdrawnBy(keys, person.link)
    const left = consentLevels.filter((one) => !withdrawn.includes(one))
    if (!levels.pass(left)) return { refused: true }
    if (isErased(keys, person, levelsIn.term(keys.term))) return { erased: true }
    return keysOf(person, consentLevels, levelsIn.era(time.era).filter(levels.open))
  }

  return (asked) => ({ ...asked, ...find(asked) })
}

function isErased({ tree }: EraKeys, { link }: Person, levels: readonly number[]): boolean {
  const paths = levels.length === 0 ? prefixesOf(link) : prefixesOf(link, levels)
  return paths.every((path) => tree.find(path) === 'erased')
}

function keysOf(person: Person, sent: readonly number[], levels: readonly number[]): Found {
  // The keys depend on the levels as sent.
  const consent = consentOf(sent)
  const keys: Record<string, string> = {}
  const withdrawn: number[] = []
  for (const one of levels) {
    const key = person.readerKey({ level: one, consent })
    if (key === 'unknown') throw notKnownYet(`the key of level ${one}`)
    if (key === 'erased') withdrawn.push(one)
    else {
      keys[one] = key.toString('base64')
      key.fill(0)
    }
  }
  return withdrawn.length === 0 ? { keys } : { keys, withdrawn }
}
