// Like echo.ts, but exactly once in the usual way. For each partition, a transactional producer writes the records and
// the position of its group in one transaction (version 2, KIP-890), and starts the next one a few milliseconds later.
import {
  Connection,
  createAPI,
  initProducerIdV4,
  produceV11,
  txnOffsetCommitV4,
  Writer,
} from '@platformatic/kafka'
import type { Reader } from '@platformatic/kafka'
import { inspect } from 'node:util'
import { delay } from '@weir/kit'
import type { EchoPlan } from './echo.ts'
import { readPlainRecords } from './plain-kafka.ts'

/** The minimum time from the start of one transaction to the start of the next. */
const everyMs = 5
const timeoutMs = 30_000
const allInSync = -1

type Producer = { readonly id: bigint; readonly epoch: number }

// The requests of transactions version 2, which @platformatic/kafka lacks. Produce and TxnOffsetCommit have the form of
// their previous versions.
const produce = createAPI<Parameters<typeof produceV11.createRequest>, unknown>(
  0,
  12,
  produceV11.createRequest,
  produceV11.parseResponse,
)
const commitOffset = createAPI<Parameters<typeof txnOffsetCommitV4.createRequest>, unknown>(
  28,
  5,
  txnOffsetCommitV4.createRequest,
  txnOffsetCommitV4.parseResponse,
)
const endTransaction = createAPI<[string, Producer], Producer>(
  26,
  5,
  (transactionalId, { id, epoch }) =>
    Writer.create()
      .appendString(transactionalId)
      .appendInt64(id)
      .appendInt16(epoch)
      .appendBoolean(true)
      .appendTaggedFields(),
  (_correlation: number, _key: number, _version: number, reader: Reader) => {
    reader.readInt32()
    const code = reader.readInt16()
    if (code !== 0) throw new Error(`EndTxn: error ${code}`)
    return { id: reader.readInt64(), epoch: reader.readInt16() }
  },
)

const planText = process.argv[2]
if (planText === undefined) throw new Error('usage: echo-in-transactions.ts PLAN, the plan as JSON')
const { brokers, from, to } = JSON.parse(planText) as EchoPlan

const group = `${to}.group`

type Waiting = { readonly offset: bigint; readonly value: Buffer }
const writers = new Map<number, { put(record: Waiting): void }>()
await readPlainRecords({ brokers, topic: from }, ({ partition, ...record }) => {
  const known = writers.get(partition)
  const writer = known ?? createWriter(partition)
  writers.set(partition, writer)
  writer.put(record)
})
process.stdout.write('reading\n')

function createWriter(partition: number) {
  const transactionalId = `${to}.${partition}`
  let waiting: Waiting[] = []
  let isWriting = false
  const opened = open(transactionalId)

  async function writeAll(): Promise<void> {
    isWriting = true
    const owner = await opened
    while (waiting.length > 0) {
      const startedMs = performance.now()
      const records = waiting
      waiting = []
      owner.producer = await writeOnce(owner, partition, records)
      await delay(Math.max(0, startedMs + everyMs - performance.now()))
    }
    isWriting = false
  }
  return {
    put(record: Waiting): void {
      waiting.push(record)
      if (!isWriting) void writeAll()
    },
  }
}

type Owner = {
  readonly transactionalId: string
  readonly connection: Connection
  producer: Producer
}

/** Writes one transaction. Returns the producer for the next one, with a new epoch, so sequences start at 0 again. */
async function writeOnce(
  { transactionalId, connection, producer: { id, epoch } }: Owner,
  partition: number,
  records: readonly Waiting[],
): Promise<Producer> {
  const messages = records.map(({ value }) => ({ topic: to, partition, value }))
  const own = { transactionalId, producerId: id, producerEpoch: epoch }
  const committedOffset = (records.at(-1)?.offset ?? 0n) + 1n
  const partitions = [{ partitionIndex: partition, committedOffset, committedLeaderEpoch: -1 }]
  const position = [{ name: from, partitions }]
  const ofNobody = [-1, '', null] as const
  await Promise.all([
    whenLast(() => produce.async(connection, allInSync, timeoutMs, messages, own)),
    whenLast(() =>
      commitOffset.async(connection, transactionalId, group, id, epoch, ...ofNobody, position),
    ),
  ])
  return endTransaction.async(connection, transactionalId, { id, epoch })
}

async function open(transactionalId: string): Promise<Owner> {
  const connection = new Connection('echo')
  const [host = '', port] = brokers[0]?.split(':') ?? []
  await connection.connect(host, Number(port))
  const { producerId, producerEpoch } = await initProducerIdV4.api.async(
    connection,
    transactionalId,
    timeoutMs,
    -1n,
    -1,
  )
  return { transactionalId, connection, producer: { id: producerId, epoch: producerEpoch } }
}

/** Repeats the request while Kafka is completing the previous transaction. */
async function whenLast<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!inspect(error, { depth: 8 }).includes('CONCURRENT_TRANSACTIONS')) throw error
      await delay(1)
    }
  }
}
