// Shared support for the tests of control state: records, a follower without Kafka, and a connection to the real
// broker.
import { randomUUID } from 'node:crypto'
import { parseKekFile } from '@weir/fieldcrypt'
import { createAdmin, createKafka } from '@weir/kafka'
import type { Kafka } from '@weir/kafka'
import { createLog } from '@weir/kit'
import { partOf } from '../src/audit/audit.ts'
import { auditTopic } from '../src/audit/entry-form.ts'
import { followState } from '../src/tables/follow.ts'
import type { StateFollower, StateFollowing } from '../src/tables/follow.ts'
import type {
  AccountRecord,
  ApiKeyRecord,
  ContractRecord,
  Credential,
  DerivedStream,
  InputStream,
} from '../src/records/records.ts'
import { controlTopic, keysTopic } from '../src/records/records.ts'

export const log = createLog('streams-test', process.env['LOG_LEVEL'] ?? 'silent')

export const uniqueName = (what: string): string => `${what}-${randomUUID().slice(0, 13)}`

/** For writes of the test itself, without an entry in the audit log. */
export const given = partOf('account.create')

// --- records ---

export const accountRecord = (
  billingId: string,
  keyHashes: readonly string[] = [],
): AccountRecord => ({
  type: 'account',
  billingId,
  apiKeys: keyHashes.map(apiKeyRecord),
  createdAtMs: 1,
})

const apiKeyRecord = (hash: string): ApiKeyRecord => ({
  keyId: hash.slice(0, 12),
  hash,
  name: 'a key',
  role: 'owner',
  createdAtMs: 1,
})

export const credentialRecord = (more: Partial<Credential> = {}): Credential => ({
  clientId: randomUUID(),
  secretHash: '00',
  scope: ['send', 'listen'],
  createdAtMs: 1,
  ...more,
})

export const inputStream = (more: Partial<InputStream> = {}): InputStream => ({
  type: 'stream',
  billingId: 'acme',
  name: 'clicks',
  streamId: randomUUID(),
  state: 'ready',
  stateSinceMs: 1,
  enabled: true,
  tags: [],
  credentials: [],
  partitions: 1,
  createdAtMs: 1,
  kind: 'input',
  limits: { eventRate: '1', eventCount: '1' },
  rotationHours: 24,
  keyRetentionDays: 365,
  ...more,
})

export const derivedStream = (
  input: InputStream,
  more: Partial<DerivedStream> = {},
): DerivedStream => ({
  type: 'stream',
  billingId: input.billingId,
  name: `${input.name}-0`,
  streamId: randomUUID(),
  state: 'ready',
  stateSinceMs: 1,
  enabled: true,
  tags: [],
  credentials: [],
  partitions: input.partitions,
  createdAtMs: 1,
  kind: 'derived',
  linkedStream: input.name,
  linkedStreamId: input.streamId,
  consentLevels: [0],
  consentLevelType: 'CUMULATIVE',
  decrypterName: 'default',
  from: 'now',
  startOffsets: ['0'],
  ...more,
})

export const contractRecord = (more: Partial<ContractRecord> = {}): ContractRecord => ({
  type: 'contract',
  billingId: 'acme',
  id: 'demo/click/1.0.0',
  status: 'active',
  schemaRegistryRef: 'catalog-click/latest',
  subject: 'catalog-click',
  registryId: 1,
  registryVersion: 1,
  schemaText: '{}',
  validations: [],
  keyField: 'session',
  piiFields: { session: 1 },
  createdAtMs: 1,
  ...more,
})

// --- without Kafka ---

export function emptyKeyStore(): StateFollower['keyStore'] {
  return { get: () => undefined, under: () => [], keys: () => [], bytes: () => 0 }
}

// --- with Kafka ---

export function connect(): Kafka {
  const brokers = (process.env['KAFKA_BROKERS'] ?? '127.0.0.1:19092').split(',')
  return createKafka({ brokers, clientId: 'weir-streams-test', log })
}

export async function makeControlTopics(kafka: Kafka): Promise<void> {
  const admin = createAdmin(kafka)
  for (const topic of [controlTopic, keysTopic])
    await admin.topics.create({ topic, partitions: 1, config: { 'cleanup.policy': 'compact' } })
  await admin.topics.create({ topic: auditTopic, partitions: 1 })
  await admin.close()
}

/** Uses no wrapping key, because the wrapped records in `weir.keys` belong to other tests. */
export const follow = (kafka: Kafka): StateFollowing =>
  followState({
    kafka,
    service: 'streams-test',
    kek: parseKekFile(`test 1 ${'0'.repeat(64)}`),
    mayUnwrap: () => false,
    log,
  })
