// Other clients of the same Kafka that have more rights than they need. They write into Weir's topics, and commit for
// Weir's groups. The checks recognise their records by a header.
import { randomUUID } from 'node:crypto'

import { createBatchProducer, createPositions, createTransactor } from '@weir/kafka'
import type { Kafka, Position, SourceRecord } from '@weir/kafka'

import type { TestOutput } from '../streams.ts'

const STRANGERS = 'torture-stranger'
/** The transaction timeout: a broker that loses the end of a transaction aborts it after this time. */
const OPEN_FOR_MAX_MS = 15_000

export type ForeignRecord = {
  readonly topic: string
  readonly partition: number
  readonly value: string
  readonly headers?: Readonly<Record<string, string>>
}

export type Strangers = {
  write(records: readonly ForeignRecord[]): Promise<void>
  /** Writes in a transaction that stays open while `work` runs, and is then aborted. */
  writeAndAbort(records: readonly ForeignRecord[], work: () => Promise<void>): Promise<void>
  positions(stream: TestOutput): Promise<readonly Position[]>
  commit(groupId: string, positions: readonly Position[]): Promise<void>
  close(): Promise<void>
}

/** Weir copies the foreign header to a dead letter, but `svc-error` shows that Weir wrote the dead letter. */
export const isForeign = ({ headers }: Pick<SourceRecord, 'headers'>): boolean =>
  headers[STRANGERS] !== undefined && headers['svc-error'] === undefined

export const isOurs = (record: Pick<SourceRecord, 'headers'>): boolean => !isForeign(record)

const WRITING = { produceTimeoutMs: 10_000, inFlightBytesMax: 4_194_304 }

/** Thrown to abort a transaction. */
class OnPurpose extends Error {}

export function openStrangers(kafka: Kafka): Strangers {
  const positions = createPositions(kafka)
  const producer = createBatchProducer(kafka, WRITING)
  return {
    async write(records) {
      await Promise.all(
        records.map(({ topic, partition, ...record }) =>
          producer.send(topic, partition, marked(record)),
        ),
      )
    },
    writeAndAbort: (records, work) => abortAfter(kafka, records, work),
    async positions({ groupId, input }) {
      const { topic } = input
      const all = Array.from({ length: input.partitions }, (_, partition) => ({ topic, partition }))
      return (await positions.read([{ groupId, partitions: all }])).get(groupId) ?? []
    },
    async commit(groupId, committed) {
      await positions.commit(groupId, committed)
    },
    async close() {
      await Promise.all([positions.close(), producer.close()])
    },
  }
}

async function abortAfter(
  kafka: Kafka,
  records: readonly ForeignRecord[],
  work: () => Promise<void>,
): Promise<void> {
  const transactionalId = `${STRANGERS}-${randomUUID()}`
  const transactor = createTransactor(kafka, { transactionalId, timeoutMs: OPEN_FOR_MAX_MS })
  try {
    await transactor.fence()
    await transactor.transaction(async ({ send }) => {
      await send(records.map((record) => ({ ...record, ...marked(record) })))
      await work()
      throw new OnPurpose()
    })
  } catch (error) {
    if (!(error instanceof OnPurpose)) throw error
  } finally {
    await transactor.close()
  }
}

const marked = ({ value, headers }: Pick<ForeignRecord, 'value' | 'headers'>) => ({
  key: '',
  value: Buffer.from(value),
  headers: { ...headers, [STRANGERS]: '1' },
  timestampMs: Date.now(),
})
