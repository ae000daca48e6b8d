// Control state without Kafka, for tests. Changes go directly into the tables, and topics and ACLs are in memory.
// The test sets the clock.
import { parseKekFile } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import type { Acl, Acls, Admin, Fencer } from '@weir/kafka'
import { AppError, oneAtATime } from '@weir/kit'
import type { AuditEntry, Change, ControlRecord, Keys, StateFollower } from '@weir/control-state'
import {
  accountKey,
  controlValue,
  createBatch,
  createChangeLog,
  createKeys,
  createTables,
  parseControlRecord,
  parseEntry,
} from '@weir/control-state'
import { createReadAccess } from '../../src/control/acls/read-access.ts'
import { createWrappingKeys } from '../../src/control/keys/wrapping-keys.ts'
import type { ServicePrincipals } from '../../src/control/acls/service-acls.ts'
import type { Control } from '../../src/compose/compose.ts'
import { createDerivedLogs } from '../../src/control/streams/derived-logs.ts'
import { createStreamTopics } from '../../src/control/streams/stream-topics.ts'
import type { Decide } from '../../src/control/decide-changes.ts'
import type { Writer } from '../../src/control/writer.ts'
import { accountRecord, log } from '../../../../packages/control-state/test/support.ts'

type MemoryKafka = {
  /** The end offsets of each topic, by partition. */
  readonly topics: Map<string, bigint[]>
  readonly calls: string[]
  /** Makes the next call of this method throw. */
  fail(call: string, code?: string): void
  readonly admin: Admin
  readonly fencer: Pick<Fencer, 'acquire'>
  /** `readable` lists the topics and the prefixes of groups that each client may read. */
  readonly acls: Pick<Acls, 'list' | 'allow' | 'revoke' | 'disallow'> & { readable(): string[] }
}

function memoryKafka(): MemoryKafka {
  const topics = new Map<string, bigint[]>()
  const calls: string[] = []
  const faults = new Map<string, string>()
  const did = (call: string, of: string): void => {
    calls.push(`${call} ${of}`)
    const code = faults.get(call)
    faults.delete(call)
    if (code !== undefined) throw new AppError(`kafka.${code}`, 'a fault of the test')
  }
  const endsOf = (topic: string): bigint[] => topics.get(topic) ?? []
  const admin: Admin = {
    topics: {
      async create({ topic, partitions }) {
        did('createTopic', topic)
        if (topics.has(topic)) return 'exists'
        topics.set(
          topic,
          Array.from({ length: partitions }, () => 0n),
        )
        return 'created'
      },
      async delete(topic) {
        did('deleteTopic', topic)
        return topics.delete(topic) ? 'deleted' : 'absent'
      },
      exists: async (topic) => topics.has(topic),
      isEmpty: async (topic) => endsOf(topic).every((end) => end === 0n),
      partitionCount: async (topic) => topics.get(topic)?.length,
    },
    offsets: {
      ends: async (topic) => endsOf(topic),
      earliest: async (topic) => endsOf(topic).map(() => 0n),
      at: async (topic) => endsOf(topic),
      async deleteBefore(topic, before) {
        did('cut', `${topic} ${before.join(' ')}`)
      },
    },
    groups: {
      committedOffsets: async () => [],
      async delete(groupId) {
        did('deleteGroup', groupId)
        return 'deleted'
      },
      async fence(transactionalId) {
        const isKnown = calls.includes(`fence ${transactionalId}`)
        did('fence', transactionalId)
        return isKnown ? 'fenced' : 'none'
      },
    },
    configs: {
      topic: async () => ({}),
      topics: async () => new Map(),
      setTopic: async () => {},
      brokers: async () => new Map(),
    },
    close: async () => {},
  }
  return {
    topics,
    calls,
    acls: memoryAcls(did),
    fencer: {
      async acquire({ transactionalId, partitions }) {
        did('acquire', transactionalId)
        const markers = partitions.map(({ topic, partition }) => endsOf(topic)[partition] ?? 0n)
        return { identity: { id: 1n, epoch: 2 }, markers, isNewIdentity: false }
      },
    },
    fail: (call, code = 'unavailable') => void faults.set(call, code),
    admin,
  }
}

function memoryAcls(did: (call: string, of: string) => void): MemoryKafka['acls'] {
  const held = new Map<string, Acl>()
  return {
    list: async () => [...held.values()],
    async allow(acls) {
      did('allow', acls.map(({ name }) => name).join())
      for (const acl of acls) held.set(JSON.stringify(acl), acl)
    },
    async revoke(acls) {
      did('revoke', acls.map(({ name }) => name).join())
      for (const acl of acls) held.delete(JSON.stringify(acl))
    },
    async disallow(principals) {
      did('disallow', principals.join())
      for (const [key, { principal }] of held) if (principals.includes(principal)) held.delete(key)
    },
    readable: () => [...held.values()].map(({ principal, name }) => `${principal} ${name}`),
  }
}

type Logged = { readonly key: string; readonly value: Buffer }

export type Written =
  | { readonly key: string; readonly record: ControlRecord | null }
  | { readonly key: string; readonly value: Buffer | null }

type MemoryControl = Omit<Control, 'replicas' | 'kek' | 'searches'> & { readonly kek: KekProvider }

export type Memory = {
  readonly deps: MemoryControl
  readonly kafka: MemoryKafka
  readonly follower: StateFollower
  /** The keys that the follower reads. */
  readonly keys: Keys
  /** Creates another replica with the same state and brokers. */
  replica(name: string): MemoryControl
  readonly entries: readonly AuditEntry[]
  /** The records of `weir.erasures`. */
  readonly logged: Logged[]
  /** The records of `weir.control` and `weir.keys`. */
  readonly written: readonly Written[]
  /** Applies a record, as if read from its topic. */
  apply(record: Written): void
  passTime(ms: number): void
  cleanUpsAsked(): number
  looksAtAccessAsked(): number
}

export const noServices = { ingest: undefined, output: undefined }

export function memoryControl(
  account = 'acme',
  kek: KekProvider = parseKekFile(`test 1 ${'ab'.repeat(32)}`),
  principals: ServicePrincipals = noServices,
): Memory {
  const tables = createTables()
  const keys = createKeys({ kek, log, mayUse: () => true })
  const kafka = memoryKafka()
  let nowMs = 1_800_000_000_000
  let cleanUps = 0
  let looksAtAccess = 0
  const entries: AuditEntry[] = []
  const logged: Logged[] = []
  const written: Written[] = []
  const apply = (each: Written): void => {
    written.push(each)
    if ('record' in each) tables.apply(each.key, each.record)
    else keys.apply(each.key, each.value)
  }
  tables.apply(accountKey(account), accountRecord(account))

  const writer: Writer = {
    async change<Answer>(what: Change, decide: Decide<Answer>): Promise<Answer> {
      const batch = createBatch(tables.store, keys.keyStore, () => nowMs)
      const answers: Answer[] = []
      batch.attempt({ id: 'change', what, decide: (draft) => void answers.push(decide(draft)) })
      entries.push(...batch.audit.map(({ value }) => entryOf(value)))
      for (const { key, value } of batch.control) apply({ key, record: copyOf(key, value) })
      for (const { key, value } of batch.keys) apply({ key, value })
      logged.push(...batch.log)
      for (const answer of answers) return answer
      throw new Error('nothing was decided')
    },
    close: async () => {},
  }
  const follower: StateFollower = {
    tables,
    keyStore: keys.keyStore,
    wrappingKeys: keys.wrappingKeys,
    keyring: keys.keyring,
    changes: createChangeLog(),
    catchUp: async () => {},
    refresh: async () => {},
    isFresh: () => true,
    positions: () => ({ control: 0n, keys: 0n }),
    onChange: () => () => false,
  }
  const replica = (name: string): MemoryControl => ({
    writer,
    actor: { kind: 'auth' },
    follower,
    topics: createStreamTopics({ ...kafka.admin, fencer: kafka.fencer }, undefined),
    derivedLogs: createDerivedLogs(kafka.admin.offsets, kafka.fencer),
    kafkaPrefix: '',
    configs: kafka.admin.configs,
    access: createReadAccess({ acls: kafka.acls, follower, log, principals, isRequired: true }),
    wrappingKeys: createWrappingKeys({ writer, follower, kek }),
    kek,
    log,
    now: () => nowMs,
    replica: name,
    forgetUsage: async () => {},
    readErasures: (onRecords) =>
      onRecords(
        logged.map(({ key, value }, at) => {
          const there = { partition: 0, offset: BigInt(at), timestampMs: nowMs, headers: {} }
          return { ...there, key: Buffer.from(key), value }
        }),
      ),
    produceTimeoutMs: 5_000,
    erasuresMax: 2_000,
    keyBytesMax: { account: 1e9, all: 1e9 },
    inTurn: oneAtATime(),
    cleanUpSoon: () => void (cleanUps += 1),
    accessSoon: () => void (looksAtAccess += 1),
    rotateSoon() {},
    erasuresSoon: () => {},
    rebuildSoon() {},
  })
  return {
    deps: replica('one'),
    kafka,
    follower,
    keys,
    replica,
    entries,
    logged,
    written,
    apply,
    passTime: (ms) => void (nowMs += ms),
    cleanUpsAsked: () => cleanUps,
    looksAtAccessAsked: () => looksAtAccess,
  }
}

/** Parses the entry in the form in which it was added. */
const entryOf = (value: Buffer): AuditEntry => parseEntry('', value)

/** Returns a copy of a record, as if written to a topic and read again. */
const copyOf = (key: string, record: ControlRecord | null): ControlRecord | null =>
  record && parseControlRecord(key, controlValue(record))
