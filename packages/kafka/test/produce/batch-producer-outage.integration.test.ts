// The producer while its broker is suspended, killed or restarted.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'

import { delay, pollUntil } from '@weir/kit'

import { createBatchProducer } from '../../src/produce/batch-producer.ts'
import type { BatchProducer } from '../../src/produce/types.ts'
import { inSoak, measured } from '../../../../tools/testkit/src/scale.ts'
import { connect, uniqueName } from '../support.ts'
import { lookFromOutside, startOwnBroker, timesStored, valuesIn } from '../support-broker.ts'
import type { LoggedRecord, OwnBroker } from '../support-broker.ts'

const PRODUCE_TIMEOUT_MS = 1_500
const ANSWERED_MS = measured(PRODUCE_TIMEOUT_MS + 1_000)
const PARTITIONS = 3
const TEST_MS = 120_000

let broker: OwnBroker
const cleanUps: (() => Promise<unknown>)[] = []

beforeAll(async () => {
  broker = await startOwnBroker()
}, TEST_MS)

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

afterAll(() => broker.stop(), TEST_MS)

type Sent = { partition: number; value: string; isStored: boolean; code: string; tookMs: number }

async function makeTopic(): Promise<string> {
  const topic = uniqueName('outage')
  const outside = await lookFromOutside(broker.brokers)
  await outside.makeTopic(topic, PARTITIONS)
  await outside.close()
  return topic
}

async function readLog(topic: string): Promise<LoggedRecord[]> {
  const outside = await lookFromOutside(broker.brokers)
  const log = await outside.readLog(topic)
  await outside.close()
  return log
}

function makeProducer(): BatchProducer {
  const sending = createBatchProducer(connect(broker.brokers), {
    produceTimeoutMs: PRODUCE_TIMEOUT_MS,
    inFlightBytesMax: 10_000_000,
  })
  cleanUps.push(sending.close)
  return sending
}

/** Sends a few records every few ms without waiting for responses, and records each outcome. */
function startLoad(sending: BatchProducer, topic: string) {
  const all: Sent[] = []
  const answers: Promise<void>[] = []
  let isStopped = false
  const loading = (async () => {
    for (let i = 0; !isStopped; i++) {
      for (let partition = 0; partition < PARTITIONS; partition++) {
        answers.push(sendOne({ partition, value: `${partition}-${i}` }))
      }
      await delay(3)
    }
  })()

  async function sendOne({ partition, value }: { partition: number; value: string }) {
    const startMs = performance.now()
    const sent: Sent = { partition, value, isStored: false, code: 'pending', tookMs: 0 }
    all.push(sent)
    const record = { key: 'key', value: Buffer.from(value), headers: {}, timestampMs: Date.now() }
    sent.code = await sending.send(topic, partition, record).then(
      () => 'stored',
      (error: { code: string }) => error.code,
    )
    sent.isStored = sent.code === 'stored'
    sent.tookMs = performance.now() - startMs
  }

  const load = {
    all,
    storedSince: (index: number) => all.slice(index).some(({ isStored }) => isStored),
    async stop(): Promise<Sent[]> {
      isStopped = true
      await loading
      await Promise.all(answers)
      return all
    },
  }
  cleanUps.push(load.stop)
  return load
}

const CODES = ['stored', 'kafka.unavailable', 'kafka.outcome_unknown']

/** Checks the producer's guarantee: «stored» means once and in order, «not stored» means absent. */
function expectPromiseKept(sent: readonly Sent[], log: readonly LoggedRecord[]): void {
  const times = timesStored(log)
  expect(sent.filter(({ isStored, value }) => isStored && times.get(value) !== 1)).toEqual([])
  expect(sent.filter(({ value }) => (times.get(value) ?? 0) > 1)).toEqual([])
  expect(
    sent.filter(({ code, value }) => code === 'kafka.unavailable' && times.has(value)),
  ).toEqual([])
  const codes = new Set(sent.map(({ code }) => code))
  expect([...codes].filter((code) => !CODES.includes(code))).toEqual([])
  expect(codes.size).toBeGreaterThan(1)
  for (let partition = 0; partition < PARTITIONS; partition++) {
    const acknowledged = sent.filter((one) => one.isStored && one.partition === partition)
    const values = new Set(acknowledged.map(({ value }) => value))
    const inLog = valuesIn(log, partition).filter((value) => values.has(value))
    expect(inLog).toEqual(acknowledged.map(({ value }) => value))
  }
}

test(
  'a broker that stands still: sends fail in time, and it goes on by itself afterwards',
  async () => {
    // Given
    const topic = await makeTopic()
    const load = startLoad(makeProducer(), topic)
    await pollUntil(() => load.storedSince(0), { deadlineMs: 60_000 })

    // When
    broker.pause()
    await pollUntil(() => load.all.some(({ code }) => code !== 'stored'), {
      deadlineMs: 60_000,
    })
    await delay(2 * PRODUCE_TIMEOUT_MS)
    broker.resume()
    const resumed = load.all.length
    await pollUntil(() => load.storedSince(resumed), { deadlineMs: 60_000 })

    // Then
    const sent = await load.stop()
    expectPromiseKept(sent, await readLog(topic))
    expect(Math.max(...sent.map(({ tookMs }) => tookMs))).toBeLessThan(ANSWERED_MS)
  },
  TEST_MS,
)

inSoak(() => {
  test.each([
    ['killed and started again', () => broker.kill()],
    ['told to end and started again', () => Promise.resolve()],
  ])(
    'a broker %s: what was stored is there once, and sends work',
    async (_, end) => {
      // Given
      const topic = await makeTopic()
      const load = startLoad(makeProducer(), topic)
      await pollUntil(() => load.storedSince(0), { deadlineMs: 60_000 })

      // When
      await end()
      const isRefused = pollUntil(() => load.all.some(({ code }) => code !== 'stored'), {
        deadlineMs: 60_000,
      })
      await Promise.all([isRefused, broker.start()])
      const started = load.all.length
      await pollUntil(() => load.storedSince(started), { deadlineMs: 60_000 })

      // Then
      const sent = await load.stop()
      expectPromiseKept(sent, await readLog(topic))
      expect(Math.max(...sent.map(({ tookMs }) => tookMs))).toBeLessThan(ANSWERED_MS)
    },
    TEST_MS,
  )

  test(
    'without a broker every send is answered in time, closing too, and nothing is left',
    async () => {
      // Given
      const topic = await makeTopic()
      const sending = makeProducer()
      const load = startLoad(sending, topic)
      await pollUntil(() => load.storedSince(0), { deadlineMs: 60_000 })
      await broker.kill()
      const gone = load.all.length
      await pollUntil(() => load.all.length > gone + 100, { deadlineMs: 60_000 })

      // When
      const startMs = performance.now()
      const closing = sending.close()
      const sent = await load.stop()
      await closing

      // Then
      expect(performance.now() - startMs).toBeLessThan(ANSWERED_MS)
      expect(sent.slice(gone).filter(({ isStored }) => isStored)).toEqual([])
      await pollUntil(() => sending.inFlightBytes() === 0, { deadlineMs: 60_000 })
      await broker.start()
      expectPromiseKept(sent, await readLog(topic))
    },
    TEST_MS,
  )
})
