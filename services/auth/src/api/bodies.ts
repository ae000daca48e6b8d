// The schemas of the request bodies of management. The message of a rule completes a sentence that starts with the
// member's name. Unknown members are refused, because a typo would otherwise go unnoticed.
import { ROTATION_HOURS } from '@weir/fieldcrypt'
import { bodyRule } from '@weir/http-api'
import { z } from 'zod'
import {
  consentLevels,
  consentLevelType,
  forEachQuota,
  hasOneLevelIfCumulative,
  oneLevelRule,
  roles,
} from '@weir/control-state'
import type { Limits, Scope } from '@weir/control-state'

const nameRule = 'must be 1 to 63 lower-case letters and digits, with single dashes between them'
export const name = z
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

/** The default role is `viewer`, because people notice missing rights, but not unnecessary ones. */
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
