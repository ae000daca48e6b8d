// The two shapes of a stream in responses (spec Resources): /v1 is flat, with `credentials` as an object; /v2 has `ref`
// and a list of `credentials`. Only the response to a creation contains a clientSecret. In /v2, later responses about
// an existing stream contain more members, for operators.
import { forEachQuota, isDecryptedByReaders, quotasOf, topicOf } from '@weir/control-state'
import type {
  AccountRecord,
  ApiKeyRecord,
  ContractRecord,
  Credential,
  DerivedStream,
  InputStream,
  NewCredential,
  Quotas,
  Restores,
  StreamRecord,
} from '@weir/control-state'
import { erasuresLostOf } from '../control/erasure/lost-windows.ts'
import type { Created } from '../control/streams/create-stream.ts'
import type { AnswerNamed } from './answers/answers.ts'

type Version = 'V1' | 'V2'

export type RenderShape<In extends Version = Version> = {
  /** Renders a stream for the response to its creation, with its secret. */
  newInput(created: Created<InputStream>): AnswerNamed<`NewInputStream${In}`>
  newOutput(
    created: CreatedOutput,
    warnings: readonly string[],
  ): AnswerNamed<`NewOutputStream${In}`>
  /** Renders a stream for later responses. */
  shown(stream: StreamRecord): AnswerNamed<`InputStream${In}` | `OutputStream${In}`>
  /** Renders deleted streams, without their credentials. */
  deleted(streams: readonly StreamRecord[]): AnswerNamed<`DeletedStreams${In}`>
  deletedOutputs(outputs: readonly DerivedStream[]): AnswerNamed<`DeletedOutputs${In}`>
}
type CreatedOutput = Created<DerivedStream, NewCredential | undefined>

const v1: RenderShape<'V1'> = {
  newInput: (made) => ({ ...flatInput(made.stream), credentials: secretOf(made.credential) }),
  newOutput: ({ stream, credential }) => ({
    ...flatOutput(stream),
    credentials: credential === undefined ? null : secretOf(credential),
  }),
  shown: (stream) => {
    const newest = stream.credentials.at(-1)
    return { ...flat(stream), credentials: newest === undefined ? null : credentialOf(newest) }
  },
  deleted: (streams) => ({ deleted: streams.map(flat) }),
  deletedOutputs: (outputs) => ({ deleted: outputs.map(flatOutput) }),
}

const v2With = (kafkaPrefix: string, state: Restores): RenderShape<'V2'> => ({
  newInput: (made) => ({ ...nestedInput(made.stream), credentials: [secretOf(made.credential)] }),
  newOutput: ({ stream, credential }, warnings) => ({
    ...nestedOutput(stream),
    credentials: credential === undefined ? [] : [secretOf(credential)],
    ...(warnings.length > 0 ? { warnings } : {}),
  }),
  shown: (stream) =>
    stream.kind === 'input'
      ? { ...inputV2(stream, kafkaPrefix), erasuresLost: erasuresLostOf(state, stream) }
      : outputV2(stream, kafkaPrefix),
  deleted: (streams) => ({ deleted: streams.map(nested) }),
  deletedOutputs: (outputs) => ({ deleted: outputs.map(nestedOutput) }),
})

export const shapesWith = (kafkaPrefix: string, state: Restores) => ({
  v1,
  v2: v2With(kafkaPrefix, state),
})

// --- the spec's tables, field by field ---

const flat = (stream: StreamRecord) =>
  stream.kind === 'input' ? flatInput(stream) : flatOutput(stream)

function flatInput({ name, tags }: InputStream): AnswerNamed<'DeletedInputStreamV1'> {
  return { name, tags }
}

function flatOutput(stream: DerivedStream): AnswerNamed<'DeletedOutputStreamV1'> {
  const { name, linkedStream, tags, consentLevels, consentLevelType, decrypterName } = stream
  return { name, linkedStream, tags, consentLevels, consentLevelType, decrypterName }
}

const nested = (stream: StreamRecord) =>
  stream.kind === 'input' ? nestedInput(stream) : nestedOutput(stream)

function nestedInput(stream: InputStream): AnswerNamed<'DeletedInputStreamV2'> {
  const { billingId, name, enabled, limits } = stream
  return { ref: { billingId, name }, enabled, limits }
}

function nestedOutput(stream: DerivedStream): AnswerNamed<'DeletedOutputStreamV2'> {
  const { billingId, name, enabled, linkedStream, consentLevels, consentLevelType } = stream
  return { ref: { billingId, name }, linkedStream, consentLevels, consentLevelType, enabled }
}

// --- beyond the spec ---

function inputV2(stream: InputStream, kafkaPrefix: string): AnswerNamed<'InputStreamV2'> {
  const { rotationHours, keyRetentionDays, createdAtMs } = stream
  const createdAt = timeOf(createdAtMs)
  const details = detailsOf(stream, kafkaPrefix)
  return { ...nestedInput(stream), ...details, rotationHours, keyRetentionDays, createdAt }
}

function outputV2(stream: DerivedStream, kafkaPrefix: string): AnswerNamed<'OutputStreamV2'> {
  const { decrypterName, from, keyMaxAgeSeconds, rebuild, createdAtMs } = stream
  return {
    ...nestedOutput(stream),
    ...detailsOf(stream, kafkaPrefix),
    decrypterName,
    from,
    decryptAt: isDecryptedByReaders(stream) ? 'reader' : 'output',
    keyMaxAgeSeconds,
    rebuild: rebuild && {
      number: rebuild.number,
      askedAt: timeOf(rebuild.askedAtMs),
      doneAt: rebuild.cut && timeOf(rebuild.cut.atMs),
    },
    createdAt: timeOf(createdAtMs),
  }
}

function detailsOf(stream: StreamRecord, kafkaPrefix: string) {
  const { tags, credentials, streamId, partitions, retentionHours = 'broker' as const } = stream
  const shown = credentials.map(credentialOf)
  const topic = kafkaPrefix + topicOf(stream)
  return { tags, credentials: shown, streamId, topic, partitions, retentionHours }
}

export function credentialOf({
  clientId,
  scope,
  createdAtMs,
}: Credential): AnswerNamed<'Credential'> {
  return { clientId, scope, createdAt: timeOf(createdAtMs) }
}

export const secretOf = ({ credential, clientSecret }: NewCredential): AnswerNamed<'Secret'> => ({
  clientId: credential.clientId,
  clientSecret,
})

export const apiKeyOf = (
  { keyId, name, role, createdAtMs, expiresAtMs }: ApiKeyRecord,
  usedAtMs?: number,
): AnswerNamed<'ApiKey'> => ({
  keyId,
  name,
  role,
  createdAt: timeOf(createdAtMs),
  expiresAt: timeIf(expiresAtMs),
  lastUsedAt: timeIf(usedAtMs),
})

export function quotasShown(
  account: AccountRecord,
  used: Partial<Quotas>,
): AnswerNamed<'AccountQuotas'>['quotas'] {
  const quotas = quotasOf(account)
  return forEachQuota((name) => ({ used: used[name], max: quotas[name] }))
}

export function accountOf(
  { billingId, createdAtMs }: AccountRecord,
  streams: readonly StreamRecord[],
  contracts: readonly ContractRecord[],
): Omit<AnswerNamed<'NewAccount'>, 'key' | 'apiKey'> {
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

export function contractOf(contract: ContractRecord): AnswerNamed<'Contract'> {
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
    data_subject_field: dataSubjectField,
    createdAt: timeOf(contract.createdAtMs),
  }
}

export const timeOf = (epochMs: number): string => new Date(epochMs).toISOString()
const timeIf = (epochMs: number | undefined): string | undefined =>
  epochMs === undefined ? undefined : timeOf(epochMs)
