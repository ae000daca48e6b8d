// The bodies of the management endpoints, one schema each. The message of a rule completes a sentence that starts with
// the member's name. Unknown members are refused, because a typo would otherwise go unnoticed.
import { ROTATION_HOURS } from '@weir/fieldcrypt'
import { bodyRule } from '@weir/http-api'
import type { Wanted } from '../people/person-links.ts'
import { z } from 'zod'
import {
  consentLevels,
  consentLevelType,
  forEachQuota,
  hasOneLevelIfCumulative,
  isSecretId,
  oneLevelRule,
  roles,
} from '@weir/control-state'
import type { Limits, Scope } from '@weir/control-state'

const nameRule = 'must be 1 to 63 lower-case letters and digits, with single dashes between them'
const name = z
  .string(nameRule)
  .max(63, nameRule)
  .regex(/^[a-z0-9](-?[a-z0-9])*$/, nameRule)

const tagRule = 'must be a string of 1 to 100 characters'
const tagsRule = 'must be a list of at most 50 strings'
const tags = z
  .array(z.string(tagRule).min(1, tagRule).max(100, tagRule), tagsRule)
  .max(50, tagsRule)

const limitRule = 'must be a string of 1 to 15 digits, and not 0'
const limit = z.string(limitRule).regex(/^(?!0+$)\d{1,15}$/, limitRule)
const limits = z.strictObject(
  { eventRate: limit.optional(), eventCount: limit.optional() },
  'must be an object with eventRate and eventCount',
)

const partitionsRule = 'must be a whole number from 1 to 100'
const partitions = z.int(partitionsRule).min(1, partitionsRule).max(100, partitionsRule)

const rotationRule = `must be one of ${ROTATION_HOURS.join(', ')}`
const rotationHours = z
  .number(rotationRule)
  .refine((hours) => ROTATION_HOURS.includes(hours), rotationRule)

const retentionRule = 'must be a whole number of days from 1 to 3650'
const keyRetentionDays = z.int(retentionRule).min(1, retentionRule).max(3650, retentionRule)

const hoursRule = 'must be a whole number of hours from 1 to 87600, or "broker"'
const retentionHours = z.union(
  [z.int(hoursRule).min(1, hoursRule).max(87_600, hoursRule), z.literal('broker', hoursRule)],
  hoursRule,
)
/** In a record, undefined means the broker's retention. */
const retentionOf = (hours: number | 'broker'): number | undefined =>
  hours === 'broker' ? undefined : hours

const enabled = z.boolean('must be true or false')

const ageRule = 'must be a whole number of seconds from 30 to 86400'
const keyMaxAgeSeconds = z.int(ageRule).min(30, ageRule).max(86_400, ageRule)
const defaultKeyAgeSeconds = 300

const decrypterRule = 'must be 1 to 63 letters, digits, dots, dashes and underscores'
const decrypterName = z
  .string(decrypterRule)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/, decrypterRule)

export const accountBody = z.strictObject(
  { billingId: name.refine((id) => id !== 'weir', 'must not be weir, which is reserved') },
  bodyRule,
)

const quotaRule = 'must be a whole number from 0 to 999999999999999'
const quota = z.int(quotaRule).min(0, quotaRule).max(999_999_999_999_999, quotaRule).optional()
export const quotasBody = z.strictObject(
  forEachQuota(() => quota),
  bodyRule,
)

const keyNameRule = 'must be 1 to 100 characters, none of them a control character'
const roleRule = `must be one of ${roles.join(', ')}`
const expiryRule = 'must be a whole number of days from 1 to 3650'

/** The default role is `viewer`: too few rights are noticed immediately, too many are not. */
export const apiKeyBody = z.strictObject(
  {
    name: z
      .string(keyNameRule)
      .min(1, keyNameRule)
      .max(100, keyNameRule)
      .refine((text) => !/\p{Cc}/u.test(text), keyNameRule),
    role: z.enum(roles, roleRule).default('viewer'),
    expiresInDays: z.int(expiryRule).min(1, expiryRule).max(3650, expiryRule).optional(),
  },
  bodyRule,
)

export const streamBody = (defaults: Limits) =>
  z.strictObject(
    {
      name,
      tags: tags.default([]),
      limits: limits.default({}).transform(({ eventRate, eventCount }): Limits => ({
        eventRate: eventRate ?? defaults.eventRate,
        eventCount: eventCount ?? defaults.eventCount,
      })),
      partitions: partitions.default(3),
      retentionHours: retentionHours.default('broker').transform(retentionOf),
      rotationHours: rotationHours.default(24),
      keyRetentionDays: keyRetentionDays.default(365),
    },
    bodyRule,
  )

const patchOfBoth = {
  enabled: enabled.optional(),
  tags: tags.optional(),
  retentionHours: retentionHours.optional(),
}

export const streamPatch = z.strictObject(
  {
    ...patchOfBoth,
    limits: limits.optional(),
    keyRetentionDays: keyRetentionDays.optional(),
  },
  bodyRule,
)

export const outputBody = z
  .strictObject(
    {
      name,
      consentLevels,
      consentLevelType,
      decrypterName: decrypterName.default('default'),
      tags: tags.default([]),
      from: z.enum(['earliest', 'now'], 'must be earliest or now').default('now'),
      retentionHours: retentionHours.default(168).transform(retentionOf),
      decryptAt: z.enum(['output', 'reader'], 'must be output or reader').default('output'),
      keyMaxAgeSeconds: keyMaxAgeSeconds.optional(),
    },
    bodyRule,
  )
  .refine(hasOneLevelIfCumulative, oneLevelRule)
  .refine(({ decryptAt, keyMaxAgeSeconds: age }) => decryptAt === 'reader' || age === undefined, {
    path: ['keyMaxAgeSeconds'],
    message: 'must be absent unless decryptAt is reader',
  })
  .transform(({ decryptAt, keyMaxAgeSeconds: age = defaultKeyAgeSeconds, ...asked }) => ({
    ...asked,
    ...(decryptAt === 'reader' ? { keyMaxAgeSeconds: age } : {}),
  }))

export const outputPatch = z.strictObject(
  { ...patchOfBoth, keyMaxAgeSeconds: keyMaxAgeSeconds.optional() },
  bodyRule,
)

export const rebuildBody = z.strictObject(
  { acceptLoss: z.boolean('must be true or false').default(false) },
  bodyRule,
)

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
const dueOnPatchRule = `${dueOnRule}, or null`

const searchIdRule = 'must be the searchId that POST /v2/people/search returned'
const searchId = z.string(searchIdRule).refine(isSecretId, searchIdRule)
const onlyOne = (...members: readonly unknown[]): boolean =>
  members.filter((each) => each !== undefined).length === 1

/** The messages of the rules never contain the values. */
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
  { dueOn: z.iso.date(dueOnPatchRule).nullable() },
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

const scopeRule = 'must be send, listen, or a list of them'
const scopeName = z.enum(['send', 'listen'], scopeRule)

export const signingKeysBody = z.strictObject(
  { revoke: z.boolean('must be true or false').optional() },
  bodyRule,
)

export const credentialsBody = z.strictObject(
  {
    scope: z
      .union(
        [scopeName.transform((one): Scope[] => [one]), z.array(scopeName).min(1, scopeRule)],
        scopeRule,
      )
      .refine((scope) => new Set(scope).size === scope.length, 'must name each scope once')
      .optional(),
  },
  bodyRule,
)
