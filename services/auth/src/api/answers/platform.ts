// The responses about keys at rest and the audit log.
import { count, listOf, string, time } from '@weir/http-api'
import { z } from 'zod'

const ended = { startedAt: time, finishedAt: time.nullable() }
const Rotation = z.strictObject({ id: z.uuid(), ...ended, parts: count, partsLeft: count })
const wraps = { ring: string, version: count, kek: string, parts: count }

const actor = {
  billingId: string,
  keyId: string,
  name: string,
  clientId: string,
  requestId: string,
}
const kind = z.enum(['account', 'credentials', 'platform', 'auth'])
const AuditEntry = z.strictObject({
  id: string.describe('in responses to an account').optional(),
  seq: count.describe('in responses to the platform').optional(),
  prev: string.optional(),
  time,
  by: z.strictObject(actor).partial().extend({ kind }),
  action: string,
  target: z.record(string, z.unknown()),
  outcome: z.enum(['done', 'refused']),
  code: string.optional(),
})
const stored = z.strictObject({ offset: string, value: string.meta({ contentEncoding: 'base64' }) })
const next = string.nullable()

export const platformAnswers = {
  Rotation,
  SigningKeys: z.strictObject({ kid: z.uuid(), revoked: listOf(z.uuid()), brokers: string }),
  Keys: z.strictObject({
    rings: listOf(z.strictObject({ ...wraps, isNewest: z.boolean() })),
    unusedKeks: listOf(z.strictObject({ kek: string, since: time })),
    rotation: Rotation.nullable(),
  }),
  AuditEntry,
  AuditPage: z.strictObject({ entries: listOf(AuditEntry), next }),
  AuditChain: z.strictObject({
    records: listOf(stored),
    next,
    head: z.strictObject({ seq: count, hash: string }).nullable(),
  }),
}
