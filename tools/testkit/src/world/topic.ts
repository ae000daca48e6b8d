// Reads a topic: every committed record from the first to the current end.
import { pino } from 'pino'
import { createAdmin, createKafka, tailTopic } from '@weir/kafka'
import { unframe } from '@weir/schema-registry'
import type { Admin, Kafka, SourceRecord } from '@weir/kafka'
import { compileContract, prepareContract } from '@weir/contracts'
import type { Contract } from '@weir/contracts'
import { pollUntil } from '@weir/kit'
import { asObject, exampleContract } from './account.ts'
import type { ExampleContract } from './account.ts'
import { kafkaBrokers } from './services.ts'
import type { ServiceEnv } from './services.ts'

export type TopicReader = {
  kafka: Kafka
  admin: Admin
  /** Returns all records under read_committed, in order within each partition. */
  read(topic: string): Promise<SourceRecord[]>
  /** Reads until the topic has `count` records. Rejects if there are more, or after the deadline. */
  readUntil(topic: string, count: number, deadlineMs?: number): Promise<SourceRecord[]>
  close(): Promise<void>
}

/** Returns a reader that takes topic names without the prefix in `env`. */
export function createTopicReader(env: ServiceEnv = {}): TopicReader {
  const kafka = connect(env)
  const admin = createAdmin(kafka)
  const read = async (topic: string): Promise<SourceRecord[]> => {
    const fromOffsets = await admin.offsets.earliest(topic)
    const ends = await admin.offsets.ends(topic, { isolation: 'read_committed' })
    if (ends.every((end, partition) => end <= (fromOffsets[partition] ?? 0n))) return []
    return collect(kafka, { topic, fromOffsets, ends })
  }
  return {
    kafka,
    admin,
    read,
    async readUntil(topic, count, deadlineMs = 60_000) {
      const enough = async () => {
        const records = await read(topic)
        return records.length >= count ? records : undefined
      }
      const records = await pollUntil(enough, {
        deadlineMs,
        everyMs: 200,
        what: `${count} records in ${topic}`,
      })
      if (records.length > count)
        throw new Error(`${topic} holds ${records.length} records, not ${count}`)
      return records
    },
    async close() {
      await admin.close()
    },
  }
}

function connect({ KAFKA_BROKERS, KAFKA_PREFIX = '' }: ServiceEnv): Kafka {
  const brokers = KAFKA_BROKERS?.split(',') ?? kafkaBrokers()
  const log = pino({ level: 'silent' })
  return createKafka({ brokers, prefix: KAFKA_PREFIX, clientId: 'weir-test', log })
}

type Reading = {
  topic: string
  fromOffsets: readonly bigint[]
  ends: readonly bigint[]
}

async function collect(kafka: Kafka, reading: Reading): Promise<SourceRecord[]> {
  const { topic, fromOffsets, ends } = reading
  const partitions: SourceRecord[][] = ends.map(() => [])
  const positions = [...fromOffsets]
  const tail = tailTopic(kafka, {
    topic,
    fromOffsets,
    onRecords(partition, records) {
      for (const record of records)
        if (record.offset < (ends[partition] ?? 0n)) partitions[partition]?.push(record)
    },
    onPosition(partition, next) {
      positions[partition] = next
    },
    onStopped: () => {},
  })
  const isWhole = (): boolean => ends.every((end, partition) => (positions[partition] ?? 0n) >= end)
  try {
    await pollUntil(isWhole, { deadlineMs: 60_000, everyMs: 10, what: `reading ${topic}` })
  } finally {
    tail.close()
  }
  return partitions.flat()
}

/** Compiles an example contract as the services do. */
export async function compiledExample(name: ExampleContract): Promise<Contract> {
  return compiledContract(await exampleContract(name))
}

/** Like `compiledExample`, for a contract with an inline schema, in the form for `POST /v2/contracts`. */
export async function compiledContract(definition: Record<string, unknown>): Promise<Contract> {
  const schemaText = JSON.stringify(asObject(definition['schema'])['definition'])
  const prepared = await prepareContract(definition, schemaText)
  if ('problems' in prepared) throw new Error(prepared.problems.join('; '))
  return compileContract(prepared.prepared)
}

export function plainEvent(contract: Contract, record: SourceRecord): Record<string, unknown> {
  if (record.value === null) throw new Error('a record without a value')
  return asObject(contract.toPlain(contract.decode(unframe(record.value).payload)))
}
