// The schemas of request bodies about people: erasures, searches and subject access.
import { isSecretId } from '@weir/control-state'
import { bodyRule } from '@weir/http-api'
import { z } from 'zod'
import type { Wanted } from '../people/person-links.ts'
import { name } from './bodies.ts'

const valueBytesMax = 1_048_576
const valueRule = `must be a text of 1 to ${valueBytesMax} bytes in UTF-8, without lone surrogates`
const keyFieldValue = z
  .string(valueRule)
  .min(1, valueRule)
  .refine((value) => value.isWellFormed(), valueRule)
  .refine((value) => Buffer.byteLength(value) <= valueBytesMax, valueRule)
const valuesRule = 'must be a list of 1 to 100 texts'
const levelRule = 'must be a whole number from 0 to 255'
const levelsRule = 'must be a list of levels, 1 to 256, each once'

const referenceRule = 'must be a text of 1 to 200 characters, without control characters'
const reference = z
  .string(referenceRule)
  .min(1, referenceRule)
  .max(200, referenceRule)
  .regex(/^\P{C}+$/u, referenceRule)

const dueOnRule = 'must be a day, such as 2026-12-24'

const searchIdRule = 'must be the searchId that POST /v2/people/search returned'
const searchId = z.string(searchIdRule).refine(isSecretId, searchIdRule)
const onlyOne = (...members: readonly unknown[]): boolean =>
  members.filter((each) => each !== undefined).length === 1

/** The messages of the rules never contain a person's value. */
export const erasureBody = z
  .strictObject(
    {
      keyFieldValue: keyFieldValue.optional(),
      keyFieldValues: z
        .array(keyFieldValue, valuesRule)
        .min(1, valuesRule)
        .max(100, valuesRule)
        .optional(),
      subject: keyFieldValue.optional(),
      searchId: searchId.optional(),
      evenIfNoneFound: z.boolean('must be true or false').default(false),
      levels: z
        .array(z.int(levelRule).min(0, levelRule).max(255, levelRule), levelsRule)
        .min(1, levelsRule)
        .max(256, levelsRule)
        .refine((levels) => new Set(levels).size === levels.length, levelsRule)
        .optional(),
      reference: reference.optional(),
      dueOn: z.iso.date(dueOnRule).optional(),
    },
    bodyRule,
  )
  .refine(
    ({ keyFieldValue: one, keyFieldValues: many, subject, searchId: id }) =>
      onlyOne(one, many, subject, id),
    {
      path: ['keyFieldValue'],
      message: 'or keyFieldValues, subject or searchId must be present, and only one of them',
    },
  )
  .transform(({ keyFieldValue: one, keyFieldValues: many, subject, searchId: id, ...asked }) => ({
    people: id ?? peopleIn(one === undefined ? many : [one], subject),
    ...asked,
  }))

export const erasurePatch = z.strictObject(
  {
    reference: z.union([reference, z.null()], `${referenceRule}, or null`).optional(),
    dueOn: z.iso.date(`${dueOnRule}, or null`).nullable().optional(),
  },
  bodyRule,
)

const peopleIn = (values: readonly string[] | undefined, subject = ''): Wanted =>
  values === undefined
    ? { values: [subject], as: ['data_subject_field'] }
    : { values, as: ['key_field'] }

const searchedValueRule = 'must be a text of 1 to 10000 bytes in UTF-8, without lone surrogates'

const streamsRule = 'must be a list of 1 to 100 names of input streams'

export const searchBody = z.strictObject(
  {
    value: keyFieldValue.refine((value) => Buffer.byteLength(value) <= 10_000, searchedValueRule),
    streams: z.array(name, streamsRule).min(1, streamsRule).max(100, streamsRule).optional(),
  },
  bodyRule,
)

const timeRule = 'must be a time of RFC 3339, such as 2026-11-21T10:00:00Z'
const time = z.iso
  .datetime({ offset: true, message: timeRule })
  .transform((text) => Date.parse(text))

export const subjectAccessBody = z
  .strictObject(
    {
      keyFieldValue: keyFieldValue.optional(),
      subject: keyFieldValue.optional(),
      searchId: searchId.optional(),
      from: time.optional(),
      until: time.optional(),
    },
    bodyRule,
  )
  .refine(({ keyFieldValue: value, subject, searchId: id }) => onlyOne(value, subject, id), {
    path: ['keyFieldValue'],
    message: 'or subject or searchId must be present, and only one of them',
  })
  .refine(({ from = -Infinity, until = Infinity }) => from < until, {
    path: ['until'],
    message: 'must be later than from',
  })
  .transform(({ keyFieldValue: value, subject, searchId: id, from, until }) => ({
    person: id ?? peopleIn(value === undefined ? undefined : [value], subject),
    span: { fromMs: from, untilMs: until },
  }))

export const subjectBody = z.strictObject({ subject: keyFieldValue }, bodyRule)
