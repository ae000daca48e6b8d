// A stewardship without Kafka: changes go straight into the tables, topics and groups are a list of names,
// and the clock is the test's.
import { parseKekFile } from '@weir/fieldcrypt'
import type { Admin } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { createBatch } from '../src/draft.ts'
import type { StateFollower } from '../src/follow.ts'
import { createKeyring } from '../src/keyring.ts'
import { accountKey } from '../src/records.ts'
import { createRings } from '../src/rings.ts'
import type { ControlRecord } from '../src/state.ts'
import type { Stewardship } from '../src/stewardship.ts'
import { createTables } from '../src/tables.ts'
import type { Decide, Writer } from '../src/writer.ts'
import { accountRecord, changeLog, log } from './support.ts'

type MemoryKafka = {
  /** What lies in each topic: an end offset by partition. */
  readonly topics: Map<string, bigint[]>
  readonly calls: string[]
  /** Thrown by the next call of that name. */
  fail(call: string, code?: string): void
  readonly admin: Admin
}

function memoryKafka(): MemoryKafka {
  const topics = new Map<string, bigint[]>()
  const calls: string[] = []
  const faults = new Map<string, string>()
  const did = (call: string, of: string): void => {
    calls.push(`${call} ${of}`)
    const code = faults.get(call)
    faults.delete(call)
    if (code !== undefined) throw new AppError(code, 'a fault of the test')
  }
  const endsOf = (topic: string): bigint[] => topics.get(topic) ?? []
  const admin: Admin = {
    async createTopic({ topic, partitions }) {
      did('createTopic', topic)
      if (topics.has(topic)) return 'exists'
      topics.set(
        topic,
        Array.from({ length: partitions }, () => 0n),
      )
      return 'created'
    },
    async deleteTopic(topic) {
      did('deleteTopic', topic)
      return topics.delete(topic) ? 'deleted' : 'absent'
    },
    topicExists: async (topic) => topics.has(topic),
    partitionCount: async (topic) => topics.get(topic)?.length,
    async deleteGroup(groupId) {
      did('deleteGroup', groupId)
      return 'deleted'
    },
    endOffsets: async (topic) => endsOf(topic),
    earliestOffsets: async (topic) => endsOf(topic).map(() => 0n),
    offsetsAt: async (topic) => endsOf(topic),
    committedOffsets: async () => [],
    isEmpty: async (topic) => endsOf(topic).every((end) => end === 0n),
    async fence(transactionalId) {
      did('fence', transactionalId)
    },
    topicConfig: async () => ({}),
    brokerConfig: async () => ({}),
    ping: async () => {},
    close: async () => {},
  }
  return {
    topics,
    calls,
    fail: (call, code = 'unavailable') => void faults.set(call, code),
    admin,
  }
}

export type Memory = {
  readonly deps: Stewardship
  readonly kafka: MemoryKafka
  readonly follower: StateFollower
  /** Another replica on the same state and brokers. */
  replica(name: string): Stewardship
  passTime(ms: number): void
  cleanUpsAsked(): number
}

export function memoryStewardship(account = 'acme'): Memory {
  const kek = parseKekFile(`test 1 ${'ab'.repeat(32)}`)
  const tables = createTables()
  const keyring = createKeyring({ kek, log, mayUse: () => true })
  const kafka = memoryKafka()
  let nowMs = 1_800_000_000_000
  let cleanUps = 0
  tables.apply(accountKey(account), accountRecord(account))

  const writer: Writer = {
    async change<Answer>(decide: Decide<Answer>): Promise<Answer> {
      const batch = createBatch(tables.store, keyring)
      const answers: Answer[] = []
      batch.attempt('change', (draft) => void answers.push(decide(draft)))
      for (const { key, value } of batch.control) tables.apply(key, copyOf(value))
      for (const { key, value } of batch.keys) keyring.apply(key, value)
      for (const answer of answers) return answer
      throw new Error('nothing was decided')
    },
    close: async () => {},
  }
  const follower: StateFollower = {
    tables,
    keyring,
    keyStore: keyring,
    changes: changeLog(),
    start: async () => {},
    catchUp: async () => {},
    lookAgain: async () => {},
    isFresh: () => true,
    positions: () => ({ control: 0n, keys: 0n }),
    notReady: () => [],
    onChange: () => () => false,
    close: async () => {},
  }
  const replica = (name: string): Stewardship => ({
    writer,
    follower,
    admin: kafka.admin,
    rings: createRings({ writer, follower, kek }),
    log,
    now: () => nowMs,
    replica: name,
    produceTimeoutMs: 5_000,
    cleanUpSoon: () => void (cleanUps += 1),
  })
  return {
    deps: replica('one'),
    kafka,
    follower,
    replica,
    passTime: (ms) => void (nowMs += ms),
    cleanUpsAsked: () => cleanUps,
  }
}

/** As it comes out of a topic: JSON, another object. */
const copyOf = (record: ControlRecord | null): ControlRecord | null =>
  JSON.parse(JSON.stringify(record)) as ControlRecord | null
