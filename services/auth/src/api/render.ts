// The two shapes in which a stream is shown (spec Resources): /v1 flat, with `credentials` an object; /v2 with `ref`,
// `limits` and `credentials` a list. Only the response to its creation contains a clientSecret. Later /v2 responses
// contain additional members for operators.
import { eraEndMs, eraStartMs } from '@weir/fieldcrypt'
import { quotasOf, topicOf } from '@weir/control-state'
import type {
  AccountRecord,
  ApiKeyRecord,
  ContractRecord,
  Credential,
  DerivedStream,
  InputStream,
  NewCredential,
  StreamRecord,
} from '@weir/control-state'
import type { Used } from '../control/quotas.ts'
import type { Created } from '../control/streams/create-stream.ts'

type Json = Record<string, unknown>
type Made<Stream extends StreamRecord> = Created<Stream, NewCredential | undefined>

export type RenderShape = {
  /** A stream in the response to its creation, with the secret. */
  created(created: Made<StreamRecord>): Json
  /** A stream in later responses. */
  shown(stream: StreamRecord): Json
  /** A deleted stream: without credentials. */
  deleted(stream: StreamRecord): Json
}

const v1: RenderShape = {
  created: ({ stream, credential }) => ({
    ...flat(stream),
    credentials: credential === undefined ? null : secretOf(credential),
  }),
  shown: (stream) => {
    const newest = stream.credentials.at(-1)
    return { ...flat(stream), credentials: newest === undefined ? null : credentialOf(newest) }
  },
  deleted: flat,
}

const v2With = (kafkaPrefix: string): RenderShape => ({
  created: ({ stream, credential }) => ({
    ...nested(stream),
    credentials: credential === undefined ? [] : [secretOf(credential)],
  }),
  shown: (stream) => ({
    ...nested(stream),
    credentials: stream.credentials.map(credentialOf),
    ...detailsOf(stream, kafkaPrefix),
  }),
  deleted: nested,
})

export const shapesWith = (kafkaPrefix: string) => ({ v1, v2: v2With(kafkaPrefix) })

// --- the spec's tables, field by field ---

function flat(stream: StreamRecord): Json {
  const { name, tags } = stream
  if (stream.kind === 'input') return { name, tags }
  const { linkedStream, consentLevels, consentLevelType, decrypterName } = stream
  return { name, linkedStream, tags, consentLevels, consentLevelType, decrypterName }
}

function nested(stream: StreamRecord): Json {
  const { billingId, name, enabled } = stream
  const ref = { billingId, name }
  if (stream.kind === 'input') return { ref, enabled, limits: stream.limits }
  const { linkedStream, consentLevels, consentLevelType } = stream
  return { ref, linkedStream, consentLevels, consentLevelType, enabled }
}

// --- beyond the spec ---

function detailsOf(stream: StreamRecord, kafkaPrefix: string): Json {
  const { streamId, partitions, retentionHours = 'broker', createdAtMs } = stream
  const own = stream.kind === 'input' ? inputDetails(stream) : outputDetails(stream)
  const topic = kafkaPrefix + topicOf(stream)
  return { streamId, topic, partitions, retentionHours, ...own, createdAt: timeOf(createdAtMs) }
}

const inputDetails = ({ rotationHours, keyRetentionDays }: InputStream): Json => ({
  rotationHours,
  keyRetentionDays,
})

const outputDetails = ({ from, rebuild }: DerivedStream): Json => ({
  from,
  ...(rebuild && {
    rebuild: {
      number: rebuild.number,
      askedAt: timeOf(rebuild.askedAtMs),
      ...(rebuild.cut && { doneAt: timeOf(rebuild.cut.atMs) }),
    },
  }),
})

export const credentialOf = ({ clientId, scope, createdAtMs }: Credential): Json => ({
  clientId,
  scope,
  createdAt: timeOf(createdAtMs),
})

export const secretOf = ({ credential, clientSecret }: NewCredential): Json => ({
  clientId: credential.clientId,
  clientSecret,
})

export const apiKeyOf = (
  { keyId, name, role, createdAtMs, expiresAtMs }: ApiKeyRecord,
  usedAtMs?: number,
): Json => ({
  keyId,
  name,
  role,
  createdAt: timeOf(createdAtMs),
  ...(expiresAtMs === undefined ? {} : { expiresAt: timeOf(expiresAtMs) }),
  ...(usedAtMs === undefined ? {} : { lastUsedAt: timeOf(usedAtMs) }),
})

/** The account's usage and its quotas. */
export const quotasShown = (account: AccountRecord, used: Used): Json =>
  Object.fromEntries(
    Object.entries(quotasOf(account)).map(([name, max]) => [name, { ...usedIn(used, name), max }]),
  )

const usedIn = (used: Readonly<Record<string, number>>, name: string): Json =>
  used[name] === undefined ? {} : { used: used[name] }

export function accountOf(
  { billingId, createdAtMs }: AccountRecord,
  streams: readonly StreamRecord[],
  contracts: readonly ContractRecord[],
): Json {
  const ready = streams.filter(({ state }) => state === 'ready')
  const outputs = ready.filter((stream): stream is DerivedStream => stream.kind === 'derived')
  return {
    billingId,
    createdAt: timeOf(createdAtMs),
    streams: ready.length - outputs.length,
    outputs: outputs.length,
    contracts: contracts.filter(({ status }) => status === 'active').length,
  }
}

export function contractOf(contract: ContractRecord): Json {
  const { id, status, schemaRegistryRef, schemaText, registryId, dataSubjectField } = contract
  const definition: unknown = JSON.parse(schemaText)
  return {
    id,
    status,
    schema: {
      schema_type: 'avro',
      schema_registry_ref: schemaRegistryRef,
      schema_registry_id: registryId,
      definition,
    },
    validations: contract.validations.map(({ field, type, value }) => ({ field, type, value })),
    key_field: contract.keyField,
    pii_fields: contract.piiFields,
    ...(dataSubjectField === undefined ? {} : { data_subject_field: dataSubjectField }),
    createdAt: timeOf(contract.createdAtMs),
  }
}

export const shownEra = (era: number): Json => ({
  era,
  from: timeOf(eraStartMs(era)),
  until: timeOf(eraEndMs(era)),
})

const timeOf = (epochMs: number): string => new Date(epochMs).toISOString()
