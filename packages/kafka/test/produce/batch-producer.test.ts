// What the producer makes of each answer that a broker can give, with brokers that give it.
import { afterEach, describe, expect, test } from '@jest/globals'

import { createLog, delay, pollUntil } from '@weir/kit'

import { createBatchProducer } from '../../src/produce/batch-producer.ts'
import type { BatchProducer, BatchProducerOptions } from '../../src/produce/types.ts'
import { createKafka } from '../../src/connect/client.ts'
import { startFakeBroker } from '../support-fake-broker.ts'
import type { FakeBroker, FakeBrokerOptions } from '../support-fake-broker.ts'

const STORED = { errorCode: 0, baseOffset: 0 }
const REFUSALS = [
  ['UNKNOWN_TOPIC_OR_PARTITION', 3],
  ['LEADER_NOT_AVAILABLE', 5],
  ['NOT_LEADER_OR_FOLLOWER', 6],
  ['NOT_ENOUGH_REPLICAS', 19],
] as const
const NOT_APPENDED = -1

const cleanUps: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function broker(options: FakeBrokerOptions): Promise<FakeBroker> {
  const started = await startFakeBroker(options)
  cleanUps.push(started.close)
  return started
}

function producer(
  { address }: { address: string },
  options: Partial<BatchProducerOptions> = {},
): BatchProducer {
  const log = createLog('kafka-test', 'silent')
  const kafka = createKafka({ brokers: [address], clientId: 'test', log })
  const made = createBatchProducer(kafka, {
    produceTimeoutMs: 2_000,
    inFlightBytesMax: 1_000_000,
    ...options,
  })
  cleanUps.push(made.close)
  return made
}

const event = (text: string) => ({
  key: 'key',
  value: Buffer.from(text),
  headers: {},
  timestampMs: 1_790_000_000_000,
})

describe('a batch that the broker', () => {
  test.each(REFUSALS)('refused with %s goes out again, once it is stored', async (_, errorCode) => {
    const refused = { errorCode, baseOffset: NOT_APPENDED }
    const fake = await broker({ reply: (__, count) => (count < 3 ? refused : STORED) })

    await producer(fake).send('topic', 0, event('a'))

    expect(fake.batches.map(({ values }) => values)).toEqual([['a'], ['a'], ['a']])
  })

  test.each(REFUSALS)('keeps refusing with %s is rejected in time', async (_, errorCode) => {
    const fake = await broker({ reply: () => ({ errorCode, baseOffset: NOT_APPENDED }) })
    const startMs = performance.now()

    await expect(
      producer(fake, { produceTimeoutMs: 300 }).send('topic', 0, event('a')),
    ).rejects.toMatchObject({ code: 'kafka.unavailable' })

    expect(performance.now() - startMs).toBeGreaterThan(200)
    expect(fake.batches.length).toBeGreaterThan(1)
  })

  test.each([...REFUSALS, ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 20], ['REQUEST_TIMED_OUT', 7]])(
    'had appended when it answered %s is rejected and never sent again',
    async (_, errorCode) => {
      const fake = await broker({ reply: () => ({ errorCode, baseOffset: 42 }) })

      await expect(producer(fake).send('topic', 0, event('a'))).rejects.toMatchObject({
        code: 'kafka.outcome_unknown',
      })

      expect(fake.batches).toHaveLength(1)
    },
  )

  test('may have stored before the connection broke is rejected and never sent again', async () => {
    const fake = await broker({ reply: (_, count) => (count === 1 ? 'hang up' : STORED) })
    const sending = producer(fake)

    await expect(sending.send('topic', 0, event('a'))).rejects.toMatchObject({
      code: 'kafka.outcome_unknown',
    })
    await sending.send('topic', 0, event('b'))

    expect(fake.batches.map(({ values }) => values)).toEqual([['a'], ['b']])
  })

  test('never answers is rejected in time, and later ones go over a new connection', async () => {
    const fake = await broker({ reply: (_, count) => (count === 1 ? 'silence' : STORED) })
    const sending = producer(fake, { produceTimeoutMs: 300 })

    await expect(sending.send('topic', 0, event('a'))).rejects.toMatchObject({
      code: 'kafka.outcome_unknown',
    })
    await sending.send('topic', 0, event('b'))

    expect(fake.batches.map(({ values }) => values)).toEqual([['a'], ['b']])
  })

  test('finds too large goes out in halves, and a record too large by itself is told so', async () => {
    const tooLarge = { errorCode: 10, baseOffset: NOT_APPENDED }
    const fake = await broker({
      reply: ({ values }) => (values.join('').length > 8 ? tooLarge : STORED),
    })
    const sending = producer(fake)

    const outcomes = await Promise.allSettled(
      ['aaa', 'bbb', 'ccc', 'ddddddddd', 'eee', 'fff'].map((text) =>
        sending.send('topic', 0, event(text)),
      ),
    )

    const codes = outcomes.map((one) => (one.status === 'rejected' ? one.reason.code : 'stored'))
    expect(codes).toEqual([
      'stored',
      'stored',
      'stored',
      'kafka.record_too_large',
      'stored',
      'stored',
    ])
  })
})

describe('a broker that delays requests', () => {
  const throttled = { ...STORED, throttleMs: 400 }

  test('is not written to until its time is over', async () => {
    const fake = await broker({ reply: (_, count) => (count === 1 ? throttled : STORED) })
    const sending = producer(fake)
    await sending.send('topic', 0, event('a'))
    const startMs = performance.now()

    const others = [0, 1, 2].map((p) => sending.send('topic', p, event('b')))
    await delay(300)
    expect(fake.requests).toEqual([1])

    await Promise.all(others)
    expect(performance.now() - startMs).toBeGreaterThan(350)
    expect(fake.requests).toEqual([1, 3])
  })

  test('is never sent what was given up meanwhile, which is told to be not stored', async () => {
    const fake = await broker({ reply: (_, count) => (count === 1 ? throttled : STORED) })
    const sending = producer(fake, { produceTimeoutMs: 200 })
    await sending.send('topic', 0, event('a'))

    await expect(sending.send('topic', 0, event('b'))).rejects.toMatchObject({
      code: 'kafka.unavailable',
      message: 'Not stored: Kafka did not take it in time; send it again',
    })
    await pollUntil(() => sending.inFlightBytes() === 0, { deadlineMs: 150, everyMs: 5 })
    await delay(300)
    await sending.send('topic', 0, event('c'))

    expect(fake.batches.map(({ values }) => values)).toEqual([['a'], ['c']])
  })

  test('puts off those who come over a new connection, too', async () => {
    const fake = await broker({ reply: (_, count) => (count === 1 ? throttled : STORED) })
    const sending = producer(fake)
    await sending.send('topic', 0, event('a'))
    const startMs = performance.now()
    fake.cutAll()

    await sending.send('topic', 0, event('b'))

    expect(performance.now() - startMs).toBeGreaterThan(350)
  })

  test('gets smaller requests for as long as it does, of every partition in turn', async () => {
    const fake = await broker({
      reply: ({ values }) => ({ ...STORED, throttleMs: Math.floor(values.join('').length / 400) }),
    })
    const sending = producer(fake, { produceTimeoutMs: 20_000, inFlightBytesMax: 10_000_000 })
    const large = event('x'.repeat(4_000))
    await Promise.all(Array.from({ length: 100 }, () => sending.send('topic', 0, large)))

    const busy = Array.from({ length: 50 }, () => sending.send('topic', 0, large))
    const startMs = performance.now()
    await sending.send('topic', 1, event('quiet'))
    expect(performance.now() - startMs).toBeLessThan(1_500)
    await Promise.all(busy)
    expect(fake.batches.findIndex(({ values }) => values[0] === 'quiet')).toBeLessThan(
      fake.batches.length - 1,
    )
  })
})

test('one request is out at a time: what waits for it and is given up was never sent', async () => {
  const fake = await broker({ reply: (_, count) => (count === 1 ? 'silence' : STORED) })
  const sending = producer(fake, { produceTimeoutMs: 300 })
  const first = sending.send('topic', 0, event('a'))
  await pollUntil(() => fake.batches.length === 1, { deadlineMs: 2_000, everyMs: 5 })
  const second = sending.send('topic', 1, event('b'))

  await expect(first).rejects.toMatchObject({ code: 'kafka.outcome_unknown' })
  const outcome = await second.then(
    () => 'stored',
    (error: { code: string }) => error.code,
  )

  // Whichever of the two it was, it is true.
  const isSent = fake.batches.some(({ values }) => values[0] === 'b')
  expect(outcome).toBe(isSent ? 'stored' : 'kafka.unavailable')
})

test('a batch follows its partition to the leader that metadata names', async () => {
  const next = await broker({ reply: () => STORED })
  let leaderPort = 0
  const first = await broker({
    reply() {
      leaderPort = next.port
      return { errorCode: 6, baseOffset: NOT_APPENDED }
    },
    leaderPort: () => leaderPort || first.port,
  })

  await producer(first).send('topic', 0, event('a'))

  expect(first.batches).toHaveLength(1)
  expect(next.batches).toHaveLength(1)
})

test('what leaves together shares requests, of as many partitions as they may hold', async () => {
  const fake = await broker({ reply: () => STORED })
  const send4 = async (sending: BatchProducer) => {
    await sending.send('topic', 0, event('first'))
    await Promise.all([0, 1, 2, 3].map((p) => sending.send('topic', p, event(`p${p}`))))
  }

  await send4(producer(fake))
  expect(fake.requests.splice(0)).toEqual([1, 4])

  await send4(producer(fake, { batchesPerRequestMax: 1 }))
  expect(fake.requests.splice(0)).toEqual([1, 1, 1, 1, 1])

  await send4(producer(fake, { batchesPerRequestMax: 3 }))
  expect(fake.requests.splice(0)).toEqual([1, 3, 1])
})

test('of batches that share a request each has the answer of its own partition', async () => {
  const fake = await broker({
    reply: ({ partition, values }) =>
      partition === 2 && values[0] === 'x' ? { errorCode: 20, baseOffset: 5 } : STORED,
  })
  const sending = producer(fake, { batchesPerRequestMax: 100 })
  await sending.send('b', 0, event('first'))
  await sending.send('a', 0, event('first'))

  const outcomes = await Promise.allSettled([
    sending.send('b', 2, event('x')),
    sending.send('a', 2, event('y')),
    sending.send('b', 1, event('x')),
    sending.send('a', 3, event('x')),
  ])

  expect(outcomes.map(({ status }) => status)).toEqual([
    'rejected',
    'fulfilled',
    'fulfilled',
    'fulfilled',
  ])
  expect(fake.requests).toEqual([1, 1, 4])
})

describe('a record that', () => {
  test('would go beyond the bytes in flight is refused at once, until there is room again', async () => {
    const fake = await broker({ reply: () => STORED })
    const sending = producer(fake, { inFlightBytesMax: 1_000 })
    const first = sending.send('topic', 0, event('x'.repeat(600)))

    await expect(sending.send('topic', 1, event('x'.repeat(600)))).rejects.toMatchObject({
      code: 'kafka.unavailable',
    })
    expect(sending.inFlightBytes()).toBeGreaterThan(600)

    await first
    expect(sending.inFlightBytes()).toBe(0)
    await sending.send('topic', 1, event('x'.repeat(600)))
    expect(fake.batches).toHaveLength(2)
  })

  test('waits for a topic that is forgotten is rejected, and a new topic of that name works', async () => {
    let answers = { errorCode: 3, baseOffset: NOT_APPENDED }
    const fake = await broker({ reply: () => answers })
    const sending = producer(fake)
    const waiting = sending.send('topic', 0, event('old'))
    await pollUntil(() => fake.batches.length > 0, { deadlineMs: 1_000 })

    sending.forgetTopic('topic')
    await expect(waiting).rejects.toMatchObject({ code: 'kafka.unavailable' })
    answers = STORED
    fake.batches.length = 0
    await sending.send('topic', 0, event('new'))

    expect(fake.batches.map(({ values }) => values)).toEqual([['new']])
    await pollUntil(() => sending.inFlightBytes() === 0, { deadlineMs: 2_000 })
  })

  test('has no whole number for a time is refused alone', async () => {
    const fake = await broker({ reply: () => STORED })
    const sending = producer(fake)

    const good = sending.send('topic', 0, event('good'))
    await expect(
      sending.send('topic', 0, { ...event('bad'), timestampMs: Number.NaN }),
    ).rejects.toThrow(TypeError)

    await good
    expect(fake.batches.map(({ values }) => values)).toEqual([['good']])
  })
})

describe('closing', () => {
  test('sends what was accepted and takes no more', async () => {
    const fake = await broker({ reply: () => STORED })
    const sending = producer(fake)
    const accepted = sending.send('topic', 0, event('a'))

    const closed = sending.close()
    await expect(sending.send('topic', 0, event('b'))).rejects.toMatchObject({
      code: 'kafka.unavailable',
    })

    await Promise.all([accepted, closed])
    expect(fake.batches.map(({ values }) => values)).toEqual([['a']])
  })

  test('ends within the time-out when no broker answers, with every send answered', async () => {
    const fake = await broker({ reply: () => 'silence' })
    const sending = producer(fake, { produceTimeoutMs: 300 })
    const sends = [0, 1].map((p) => sending.send('topic', p, event('a')))

    const outcomes = Promise.allSettled(sends)
    await sending.close()

    expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})

test('metrics hear of each batch that was acknowledged', async () => {
  const fake = await broker({ reply: () => STORED })
  const seen: number[] = []
  const sending = producer(fake, { onBatch: ({ records }) => seen.push(records) })

  await Promise.all(['a', 'b'].map((text) => sending.send('topic', 0, event(text))))
  await sending.send('topic', 0, event('c'))

  expect(seen).toEqual([2, 1])
})
