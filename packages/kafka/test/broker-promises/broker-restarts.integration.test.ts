// The broker is restarted or killed between the steps of a fence and after batches, or suspended with a batch in
// flight.
import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { startOwnBroker } from '../support-broker.ts'
import type { OwnBroker } from '../support-broker.ts'
import { connectTo, newTransactionalId, openCluster } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'
import { batchOf, markerOffset, produce, produceOn, readLog, valuesOf } from './log.ts'
import { openTopics } from './topics.ts'
import type { Topics } from './topics.ts'
import { addPartitions, endTransaction, fence, initProducerId } from './transactions.ts'
import type { Identity } from './transactions.ts'

let broker: OwnBroker
let cluster: Cluster
let topics: Topics

beforeAll(async () => {
  broker = await startOwnBroker()
  cluster = openCluster(broker.brokers)
  topics = openTopics(broker.brokers)
})

afterAll(async () => {
  await topics.close()
  await cluster.close()
  await broker.stop()
})

const ends = [
  ['restarted in good order', () => broker.start()],
  ['killed', () => broker.kill().then(() => broker.start())],
] as const

const write = (place: Place, producer: Identity, sequence: number, ...values: string[]) =>
  produce(cluster, place, batchOf(values, { producer, sequence }))

const STEPS = [0, 1, 2, 3, 4]

/** Fences in four steps. After `stepsBefore` of them, waits until `ended` resolves. */
async function fenceAround(stepsBefore: number, ended: Promise<void>, former: Former) {
  const { id, both } = former
  let marker: Identity | undefined
  let owner: Identity | undefined
  const steps = [
    async () => (marker = await initProducerId(cluster, id)),
    async () => addPartitions(cluster, id, marker ?? former.owner, both),
    async () => endTransaction(cluster, id, marker ?? former.owner, 'abort'),
    async () => (owner = await initProducerId(cluster, id)),
  ]
  for (const step of steps.slice(0, stepsBefore)) await step()
  former.arrived()
  await ended
  for (const step of steps.slice(stepsBefore)) await step()
  return { marker: marker ?? former.owner, owner: owner ?? former.owner }
}

type Former = { id: string; both: Place[]; owner: Identity; arrived(): void; there: Promise<void> }

async function makeFormer(): Promise<Former> {
  const both = [
    { topic: await topics.make('derived'), partition: 0 },
    { topic: await topics.make('dead'), partition: 0 },
  ]
  const id = newTransactionalId()
  const { owner } = await fence(cluster, id, both)
  for (const place of both) await write(place, owner, 0, 'a')
  const { promise: there, resolve: arrived } = Promise.withResolvers<void>()
  return { id, both, owner, arrived, there }
}

test.each(ends)(
  'a fence goes on after a broker that was %s between any two of its steps',
  async (_, end) => {
    const formers = await Promise.all(STEPS.map(makeFormer))
    const ended = Promise.all(formers.map(({ there }) => there)).then(end)
    const fences = await Promise.all(
      formers.map((former, steps) => fenceAround(steps, ended, former)),
    )
    for (const [at, { both, owner: former }] of formers.entries())
      for (const place of both) {
        const { marker, owner } = fences[at] ?? { marker: former, owner: former }
        expect(markerOffset(await readLog(cluster, place), marker)).toBe(2n)
        expect((await write(place, former, 1, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
        expect((await write(place, owner, 0, 'b')).error).toBe('NONE')
        expect(valuesOf(await readLog(cluster, place))).toEqual(['a', 'b'])
      }
  },
  180_000,
)

// The broker may return OUT_OF_ORDER_SEQUENCE_NUMBER for a batch that it has stored. So after this error the outcome is
// unknown.
test.each(ends)(
  'a broker that was %s knows the last batch, and of the four before it the offset or nothing',
  async (_, end) => {
    const { both, owner } = await makeFormer()
    const [place] = both
    if (place === undefined) throw new Error('no place')
    for (let sequence = 1; sequence < 6; sequence++)
      await write(place, owner, sequence, `${sequence}`)
    await end()
    expect(await write(place, owner, 5, '5')).toMatchObject({ error: 'NONE', offset: 6n })
    const repeats = []
    for (const sequence of [1, 2, 3, 4])
      repeats.push(await write(place, owner, sequence, `${sequence}`))
    for (const { error } of repeats) expect(error).toMatch(/^NONE$|^OUT_OF_ORDER_SEQUENCE_NUMBER$/)
    expect((await write(place, owner, 6, '6')).error).toBe('NONE')
    expect(valuesOf(await readLog(cluster, place))).toEqual(['a', '1', '2', '3', '4', '5', '6'])
  },
  180_000,
)

test('a batch in the socket of a stopped broker, and sent again on another connection, is stored once', async () => {
  const { both, owner } = await makeFormer()
  const [place] = both
  if (place === undefined) throw new Error('no place')
  const own = await connectTo(broker.brokers[0] ?? '', 'owner')
  const batch = batchOf(['b'], { producer: owner, sequence: 1 })
  broker.pause()
  const first = produceOn(own, { ...place, batch }).catch(() => 'unknown')
  own.socket.end()
  broker.resume()
  expect(await produce(cluster, place, batch)).toMatchObject({ error: 'NONE', offset: 2n })
  await first
  expect(valuesOf(await readLog(cluster, place))).toEqual(['a', 'b'])
})
