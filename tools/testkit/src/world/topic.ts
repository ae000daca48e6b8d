// What lies in a topic: every committed record from the first to the end as of now.
import { pino } from 'pino'
import { createAdmin, createKafka, tailTopic } from '@weir/kafka'
import { unframe } from '@weir/schema-registry'
import type { Admin, Kafka, SourceRecord, Tail } from '@weir/kafka'
import { compileContract, prepareContract } from '@weir/contracts'
import type { Contract } from '@weir/contracts'
import { pollUntil } from '@weir/kit'
import { asObject, exampleContract } from './account.ts'
import type { ExampleContract } from './account.ts'
import { kafkaBrokers } from './services.ts'

export type TopicReader = {
  kafka: Kafka
  admin: Admin
  /** All records under read_committed, partition by partition in order. */
  read(topic: string): Promise<SourceRecord[]>
  /** Reads until there are so many records, and fails when more come or the deadline passes. */
  readUntil(topic: string, count: number, deadlineMs?: number): Promise<SourceRecord[]>
  close(): Promise<void>
}

export function createTopicReader(brokers = kafkaBrokers()): TopicReader {
  const kafka = createKafka({ brokers, clientId: 'weir-test', log: pino({ level: 'silent' }) })
  const admin = createAdmin(kafka)
  // A consumer takes half a second to close, which nobody has to wait for.
  const closings: Promise<void>[] = []
  const read = async (topic: string): Promise<SourceRecord[]> => {
    const fromOffsets = await admin.offsets.earliest(topic)
    const ends = await admin.offsets.ends(topic, { isolation: 'read_committed' })
    if (ends.every((end, partition) => end <= (fromOffsets[partition] ?? 0n))) return []
    const span = { topic, fromOffsets, ends }
    return collect(kafka, { ...span, onRead: (tail) => void closings.push(tail.close()) })
  }
  return {
    kafka,
    admin,
    read,
    async readUntil(topic, count, deadlineMs = 30_000) {
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
      await Promise.all(closings)
      await admin.close()
    },
  }
}

type Reading = {
  topic: string
  fromOffsets: readonly bigint[]
  ends: readonly bigint[]
  onRead: (tail: Tail) => void
}

async function collect(kafka: Kafka, reading: Reading): Promise<SourceRecord[]> {
  const { topic, fromOffsets, ends, onRead } = reading
  const partitions: SourceRecord[][] = ends.map(() => [])
  const positions = [...fromOffsets]
  const tail = tailTopic(kafka, {
    topic,
    fromOffsets,
    groupPrefix: 'weir.test',
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
    onRead(tail)
  }
  return partitions.flat()
}

/** An example contract, compiled as the services compile it. */
export async function compiledExample(name: ExampleContract): Promise<Contract> {
  return compiledContract(await exampleContract(name))
}

/** The same for a contract whose schema is inline, as `POST /v2/contracts` takes it. */
export async function compiledContract(definition: Record<string, unknown>): Promise<Contract> {
  const schemaText = JSON.stringify(asObject(definition['schema'])['definition'])
  const prepared = await prepareContract(definition, schemaText)
  if ('problems' in prepared) throw new Error(prepared.problems.join('; '))
  return compileContract(prepared.prepared)
}

/** The event of a record as plain JSON. */
export function plainEvent(contract: Contract, record: SourceRecord): Record<string, unknown> {
  if (record.value === null) throw new Error('a record without a value')
  return asObject(contract.toPlain(contract.decode(unframe(record.value).payload)))
}
