// Streams in responses: the two shapes of render.ts, as JSON Schema. schemathesis compares the responses with it.
import { schema } from '@weir/docs'
import type { JsonSchema } from '@weir/docs'

const { count, flag, level, listOf, object, oneOf, orNull, ref, text, time, uuid } = schema

const scopes = { ...listOf(oneOf('send', 'listen')), uniqueItems: true }
const credential = object({ clientId: uuid, scope: scopes, createdAt: time })
const secret = object({ clientId: uuid, clientSecret: text })

const limits = object({ eventRate: text, eventCount: text })
const tags = listOf(text)
const streamRef = object({ billingId: text, name: text })
const consentLevels = listOf(level)
const consentLevelType = oneOf('CUMULATIVE', 'GRANULAR')

const flat = {
  input: { name: text, tags },
  output: {
    name: text,
    linkedStream: text,
    tags,
    consentLevels,
    consentLevelType,
    decrypterName: text,
  },
}
const nested = {
  input: { ref: streamRef, enabled: flag, limits },
  output: { ref: streamRef, linkedStream: text, consentLevels, consentLevelType, enabled: flag },
}
const retentionHours = { anyOf: [count, oneOf('broker')] }
const details = { streamId: uuid, topic: text, partitions: count, retentionHours, createdAt: time }
const ofInput = { ...details, rotationHours: count, keyRetentionDays: count }
const ofOutput = { ...details, from: oneOf('earliest', 'now') }
const rebuild = object({ number: count, askedAt: time }, { doneAt: time })

/** For `/v1` and `/v2`. Only the response to a creation contains a secret. */
export const streamSchemas: Readonly<Record<string, JsonSchema>> = {
  Credential: credential,
  Secret: secret,
  InputStreamV1: object({ ...flat.input, credentials: orNull(ref('Credential')) }),
  OutputStreamV1: object({ ...flat.output, credentials: orNull(ref('Credential')) }),
  NewInputStreamV1: object({ ...flat.input, credentials: ref('Secret') }),
  NewOutputStreamV1: object({ ...flat.output, credentials: orNull(ref('Secret')) }),
  DeletedInputStreamV1: object(flat.input),
  DeletedOutputStreamV1: object(flat.output),
  InputStreamV2: object({ ...nested.input, credentials: listOf(ref('Credential')), ...ofInput }),
  OutputStreamV2: object(
    { ...nested.output, credentials: listOf(ref('Credential')), ...ofOutput },
    { rebuild },
  ),
  NewInputStreamV2: object({ ...nested.input, credentials: listOf(ref('Secret')) }),
  NewOutputStreamV2: object({ ...nested.output, credentials: listOf(ref('Secret')) }),
  DeletedInputStreamV2: object(nested.input),
  DeletedOutputStreamV2: object(nested.output),
}
