// Prints how long operations take on this machine. ADR 34 has the figures of an idle machine. The tests check only the
// results.
import { expect, test } from '@jest/globals'
import { fetchV12 } from '@platformatic/kafka'
import type { Connection } from '@platformatic/kafka'

import { BROKERS } from '../support.ts'
import { connectTo, eventually, newTransactionalId, openCluster } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'
import { batchOf, markerOffset, produce, produceOn, readLog } from './log.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { fence, initProducerId } from './transactions.ts'

const { cluster, topics } = useSharedBroker()

/** `npm run soak` sets this variable. */
const isFull = process.env['WEIR_TEST_SCALE'] === 'full'

async function pairs(count: number): Promise<{ id: string; both: Place[] }[]> {
  const partitions = Math.min(count, 250)
  const made: { id: string; both: Place[] }[] = []
  while (made.length < count) {
    const [derived, dead] = await Promise.all(
      ['derived', 'dead'].map((what) => topics.make(what, { partitions })),
    )
    for (let partition = 0; partition < partitions; partition++) {
      const both = [derived ?? '', dead ?? ''].map((topic) => ({ topic, partition }))
      made.push({ id: newTransactionalId(), both })
    }
  }
  return made
}

async function timed(what: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await what()
  return performance.now() - started
}

const tell = (what: string, ms: readonly number[]): void => {
  const sorted = [...ms].sort((a, b) => a - b)
  const at = (share: number) => (sorted[Math.floor(share * sorted.length)] ?? 0).toFixed(2)
  process.stdout.write(`${what}: median ${at(0.5)} ms, 90 % ${at(0.9)} ms, of ${ms.length}\n`)
}

test('fences one after the other, reading the tail up to the marker, and appending', async () => {
  const made = await pairs(isFull ? 250 : 20)
  const took = { fence: [] as number[], tail: [] as number[], append: [] as number[] }
  for (const { id, both } of made) {
    const [derived] = both
    if (derived === undefined) continue
    let fenced = await fence(cluster, id, both)
    took.fence.push(await timed(async () => (fenced = await fence(cluster, id, both))))
    const marker = async () => markerOffset(await readLog(cluster, derived), fenced.marker)
    took.tail.push(await timed(marker))
    expect(await marker()).toBe(1n)
    const connection = await cluster.leader(derived)
    const batch = batchOf(['a'], { producer: fenced.owner, sequence: 0 })
    took.append.push(await timed(() => produceOn(connection, { ...derived, batch })))
  }
  tell('fence of two partitions', took.fence)
  tell('reading the tail to the own marker', took.tail)
  tell('idempotent append', took.append)
}, 300_000)

const CONNECTIONS = 16

test('fences over sixteen connections at once', async () => {
  const made = await pairs(isFull ? 1_000 : 32)
  const clusters = Array.from({ length: CONNECTIONS }, () => openCluster(BROKERS))
  const waiting = made.values()
  const fenceTheNext = async (own: Cluster) => {
    for (const { id, both } of waiting) await fence(own, id, both)
  }
  const close = () => Promise.all(clusters.map((own) => own.close()))
  const all = () => Promise.all(clusters.map(fenceTheNext))
  const tookMs = await timed(() => all().finally(close))
  tell(`${made.length} fences over ${CONNECTIONS} connections`, [tookMs])
  const [last] = made.slice(-1)
  expect(await readLog(cluster, last?.both[0] ?? { topic: '', partition: 0 })).toHaveLength(1)
}, 300_000)

async function openSession(
  connection: Connection,
  topic: string,
  partitions: number,
): Promise<number> {
  const start = { currentLeaderEpoch: -1, fetchOffset: 0n, lastFetchedEpoch: -1 }
  const asked = Array.from({ length: partitions }, (_, partition) => ({
    ...start,
    partition,
    partitionMaxBytes: 1_000_000,
  }))
  const wanted = [{ topicId: topic, partitions: asked }]
  const { sessionId } = await eventually('a session', () =>
    fetchV12.api.async(connection, 0, 1, 1_000_000, 0, 0, 0, wanted, [], ''),
  )
  return sessionId
}

test.each([20, isFull ? 2_000 : 200])(
  'an empty fetch of a session with %i partitions',
  async (partitions) => {
    const topic = await topics.make('many', { partitions })
    const connection = await connectTo(BROKERS[0] ?? '', 'many')
    const id = await openSession(connection, topic, partitions)
    const took: number[] = []
    for (let epoch = 1; epoch <= 200; epoch++) {
      const ask = () => fetchV12.api.async(connection, 0, 1, 1_000_000, 0, id, epoch, [], [], '')
      took.push(await timed(ask))
    }
    tell(`empty fetch of a session with ${partitions} partitions`, took)
    expect(id).not.toBe(0)
    await connection.close()
  },
  300_000,
)

const EPOCHS = 32_767

// After the last epoch, Kafka gives a new producer id, which doesn't fence the writer with the old id.
test('the producer id stays while there are epochs, and changes after the last', async () => {
  const id = newTransactionalId()
  const place = { topic: await topics.make('epochs'), partition: 0 }
  const first = await initProducerId(cluster, id)
  const times = isFull ? EPOCHS + 1 : 300
  const ids = new Set([first.id])
  let last = first
  const tookMs = await timed(async () => {
    for (let count = 0; count < times; count++) {
      last = await initProducerId(cluster, id)
      ids.add(last.id)
    }
  })
  tell('InitProducerId', [tookMs / times])
  process.stdout.write(`after ${times} epochs: ${ids.size} ids, epoch ${last.epoch}\n`)
  expect(ids.size).toBe(times > EPOCHS ? 2 : 1)
  expect(
    (await produce(cluster, place, batchOf(['a'], { producer: last, sequence: 0 }))).error,
  ).toBe('NONE')
}, 600_000)
