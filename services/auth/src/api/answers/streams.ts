// The responses about streams (in the two shapes of the spec), credentials and usage. Only the response to a creation
// contains a secret.
import { consentLevelType } from '@weir/control-state'
import { count, level, listOf, string, time } from '@weir/http-api'
import { z } from 'zod'

const scope = listOf(z.enum(['send', 'listen'])).meta({ uniqueItems: true })
const Credential = z.strictObject({ clientId: z.uuid(), scope, createdAt: time })
const secret = { clientId: z.uuid(), clientSecret: string }
const Secret = z.strictObject(secret)

const tags = listOf(string)
const levels = { consentLevels: listOf(level), consentLevelType }
const flatInput = { name: string, tags }
const flatOutput = { name: string, linkedStream: string, tags, ...levels, decrypterName: string }
const DeletedInputStreamV1 = z.strictObject(flatInput)
const DeletedOutputStreamV1 = z.strictObject(flatOutput)

const ref = z.strictObject({ billingId: string, name: string })
const limits = z.strictObject({ eventRate: string, eventCount: string })
const input = { ref, enabled: z.boolean(), limits }
const output = { ref, linkedStream: string, ...levels, enabled: z.boolean() }
const DeletedInputStreamV2 = z.strictObject(input)
const DeletedOutputStreamV2 = z.strictObject(output)

const details = {
  tags,
  credentials: listOf(Credential),
  streamId: z.uuid(),
  topic: string,
  partitions: count,
  retentionHours: z.union([count, z.literal('broker')]),
  createdAt: time,
}
const keys = { rotationHours: count, keyRetentionDays: count }
const erasuresLost = listOf(z.strictObject({ since: time, until: time }))
  .describe(
    'present if a restore may have undone erasures: those that were accepted in these times',
  )
  .optional()
const from = z.enum(['earliest', 'now'])
const decryption = {
  decryptAt: z.enum(['output', 'reader']),
  keyMaxAgeSeconds: count.describe('present if decryptAt is reader').optional(),
}
const rebuild = z.strictObject({ number: count, askedAt: time, doneAt: time.optional() })

const deleted = <Stream extends z.ZodType>(stream: Stream) =>
  z.strictObject({ deleted: listOf(stream) })
const span = { from: time, until: time }
const used = { events: count, bytes: count, refused: z.record(string, count) }

export const streamAnswers = {
  Credential,
  Secret,
  NewCredentials: z.strictObject({ ...secret, scope }),
  DeletedCredentials: deleted(Credential),
  InputStreamV1: z.strictObject({ ...flatInput, credentials: Credential.nullable() }),
  OutputStreamV1: z.strictObject({ ...flatOutput, credentials: Credential.nullable() }),
  NewInputStreamV1: z.strictObject({ ...flatInput, credentials: Secret }),
  NewOutputStreamV1: z.strictObject({ ...flatOutput, credentials: Secret.nullable() }),
  DeletedInputStreamV1,
  DeletedOutputStreamV1,
  DeletedOutputsV1: deleted(DeletedOutputStreamV1),
  DeletedStreamsV1: deleted(z.union([DeletedInputStreamV1, DeletedOutputStreamV1])),
  InputStreamV2: z.strictObject({ ...input, ...details, ...keys, erasuresLost }),
  OutputStreamV2: z.strictObject({
    ...output,
    ...details,
    decrypterName: string,
    from,
    ...decryption,
    rebuild: rebuild.optional(),
  }),
  NewInputStreamV2: z.strictObject({ ...input, credentials: listOf(Secret) }),
  NewOutputStreamV2: z.strictObject({
    ...output,
    credentials: listOf(Secret),
    warnings: listOf(string).optional(),
  }),
  DeletedInputStreamV2,
  DeletedOutputStreamV2,
  DeletedOutputsV2: deleted(DeletedOutputStreamV2),
  DeletedStreamsV2: deleted(z.union([DeletedInputStreamV2, DeletedOutputStreamV2])),
  Usage: z.strictObject({
    stream: string,
    by: z.enum(['1m', '15m', '1h', '1d']),
    ...span,
    total: z.strictObject(used),
    usage: listOf(z.strictObject({ from: time, ...used })),
  }),
}
