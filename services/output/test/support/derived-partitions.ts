// Derived partitions of a test, with their own logs, groups and ids. Clients that are not owners can write to them,
// too.
import { createKafka, createTransactor, encodeRecord } from '@weir/kafka'
import type { AppendLane, EncodedRecord, Kafka } from '@weir/kafka'
import { createLog } from '@weir/kit'
import { asObject } from '@weir/testkit'
import { openTopics } from '../../../../packages/kafka/test/broker-promises/topics.ts'
import { uniqueName } from '../../../../packages/kafka/test/support.ts'
import { createPartitionLogs } from '../../src/derive/partition-logs.ts'
import { writeOrigin } from '../../src/records/headers.ts'
import type {
  DerivedPartition,
  Owned,
  PartitionLogs,
  PartitionLogsDeps,
} from '../../src/derive/partition-logs.ts'

const INPUT_PARTITIONS = 2
const START_OFFSET = 7n

export type DerivedPartitions = {
  readonly kafka: Kafka
  readonly kafkaPrefix: string
  make(own?: Partial<DerivedPartition>): Promise<DerivedPartition>
  /** Returns a record derived from an input record of the partition. */
  record(of: DerivedPartition, offset: bigint, headers?: Headers): EncodedRecord
  /** Appends the records derived from these input records, one by one. */
  append(of: DerivedPartition, lane: AppendLane, ...offsets: bigint[]): Promise<void>
  /** Writes in a transaction under the partition's own id or another one, as a retry does. */
  transact(of: DerivedPartition, transacted: Transacted): Promise<void>
  close(): Promise<void>
}

type Headers = Readonly<Record<string, string>>
export type Transacted = {
  readonly to: 'outputTopic' | 'deadLetterTopic'
  readonly offset: bigint
  readonly headers?: Headers
  readonly transactionalId?: string
  /** Called before the transaction ends. If it throws, the transaction is aborted. */
  readonly meanwhile?: () => Promise<void>
}

export function openDerivedPartitions(
  brokers: readonly string[],
  kafkaPrefix = '',
): DerivedPartitions {
  const log = createLog('output-test', 'silent')
  const kafka = createKafka({ brokers, clientId: 'output-test', log, prefix: kafkaPrefix })
  const topics = openTopics(brokers)
  const headersOf = ({ inputTopic, partition }: DerivedPartition, offset: bigint) => ({
    'svc-source': writeOrigin({ topic: kafkaPrefix + inputTopic, partition, offset }),
  })
  const record: DerivedPartitions['record'] = (of, offset, headers) => {
    const all = Object.entries({ ...headersOf(of, offset), ...headers })
    const bytes = Object.fromEntries(all.map(([name, value]) => [name, Buffer.from(value)]))
    const value = Buffer.from(`${offset}`)
    return encodeRecord({ key: null, value, headers: bytes, timestampMs: Date.now() })
  }

  return {
    kafka,
    kafkaPrefix,
    record,
    async make(own = {}) {
      const name = uniqueName('derived')
      const of = { ...partitionOf(name), ...own }
      for (const topic of [of.inputTopic, of.outputTopic, of.deadLetterTopic])
        await topics.makeNamed(kafkaPrefix + topic, { partitions: INPUT_PARTITIONS })
      return of
    },
    async append(of, lane, ...offsets) {
      for (const offset of offsets) await lane.append([record(of, offset)])
    },
    async transact(of, { to, offset, meanwhile, ...transacted }) {
      const { transactionalId = of.transactionalId } = transacted
      const transactor = createTransactor(kafka, { transactionalId, timeoutMs: 60_000 })
      const headers = { ...headersOf(of, offset), ...transacted.headers }
      const out = { topic: of[to], partition: of.partition, key: null, value: null, headers }
      try {
        await transactor.fence()
        await transactor.transaction(async ({ send }) => {
          await send([out])
          await meanwhile?.()
        })
      } finally {
        await transactor.close()
      }
    },
    close: () => topics.close(),
  }
}

const partitionOf = (name: string): DerivedPartition => ({
  streamId: uniqueName('stream'),
  transactionalId: `weir.derive.${name}.1`,
  groupId: `weir.${name}`,
  inputTopic: `${name}.in`,
  outputTopic: name,
  deadLetterTopic: `${name}.dead`,
  partition: 1,
  startOffset: START_OFFSET,
  rebuild: 0,
  logStarts: { derived: 0n, dead: 0n },
})

/** Returns two replicas that share a service log. `lines` contains its warnings and errors. */
export function openReplicas({ kafka, kafkaPrefix }: DerivedPartitions) {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(asObject(JSON.parse(line)))
  const log = createLog('output-test', 'warn', { write })
  const open = (more: Partial<PartitionLogsDeps> = {}): PartitionLogs =>
    createPartitionLogs({ kafka, kafkaPrefix, log, ...more })
  const [one, other] = [open(), open()]
  const own = (of: DerivedPartition, replica = one): Promise<Owned> =>
    replica.acquire(of, () => Promise.resolve(true))

  return {
    one,
    other,
    open,
    lines,
    own,
    /** Returns the offset where the partition's next owner continues. */
    async nextOf(of: DerivedPartition): Promise<bigint> {
      const { next, close } = await own(of, other)
      close()
      return next
    },
    async close(): Promise<void> {
      await Promise.all([one.close(), other.close()])
    },
  }
}

/** Returns the noted position of each partition, without its metadata. */
export const notedNexts = async (
  { noted }: Pick<PartitionLogs, 'noted'>,
  of: readonly DerivedPartition[],
): Promise<ReadonlyMap<DerivedPartition, bigint>> =>
  new Map([...(await noted(of))].map(([one, { next }]) => [one, next]))
