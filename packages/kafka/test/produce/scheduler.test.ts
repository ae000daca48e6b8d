// When records are sent, with a delivery and a clock that the test controls.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'

import { createLog } from '@weir/kit'

import type { DeliveryOutcome } from '../../src/produce/delivery.ts'
import type { LaneBatch } from '../../src/produce/lane.ts'
import { createScheduler } from '../../src/produce/scheduler.ts'
import type { Scheduler, SchedulerOptions } from '../../src/produce/scheduler.ts'

const STORED: DeliveryOutcome = { kind: 'stored', offset: 0n }
const UNKNOWN: DeliveryOutcome = { kind: 'unknown', cause: new Error('lost') }

type Delivered = { values: string[]; batch: LaneBatch; end(outcome: DeliveryOutcome): void }

const schedulers: Scheduler[] = []

beforeEach(
  () => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate'] }),
)

afterEach(async () => {
  const drained = schedulers.splice(0).map((scheduler) => scheduler.drain())
  jest.runAllTimers()
  await Promise.all(drained)
  jest.useRealTimers()
})

function setUp(options: Partial<SchedulerOptions> = {}) {
  const delivered: Delivered[] = []
  const deliver = (batch: LaneBatch) =>
    new Promise<DeliveryOutcome>((end) => {
      delivered.push({ values: batch.records.map((one) => String(one.record.value)), batch, end })
    })
  const scheduler = createScheduler(deliver, createLog('kafka-test', 'silent'), {
    produceTimeoutMs: 1_000,
    inFlightBytesMax: 1_000_000,
    batchBytesMax: 100_000,
    ...options,
  })
  schedulers.push(scheduler)
  const send = (text: string, partition = 0, topic = 'topic') => {
    const record = { key: 'k', value: Buffer.from(text), headers: {}, timestampMs: 1 }
    const answer = scheduler.send(topic, partition, record)
    return answer.then(
      () => 'stored',
      (error: { code: string }) => error.code,
    )
  }
  return { scheduler, delivered, send, values: () => delivered.map(({ values }) => values) }
}

/** Waits until the end of this turn of the event loop, when batches are sent. */
const turn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

describe('records of one partition', () => {
  test('sent in one turn of the event loop leave together at its end', async () => {
    const { send, delivered, values } = setUp()
    const answers = [send('a'), send('b')]
    await Promise.resolve().then(() => answers.push(send('c')))
    expect(values()).toEqual([])

    await turn()
    expect(values()).toEqual([['a', 'b', 'c']])

    delivered[0]?.end(STORED)
    expect(await Promise.all(answers)).toEqual(['stored', 'stored', 'stored'])
  })

  test('may be posted without promises, and each is answered once', async () => {
    const { scheduler, delivered } = setUp({ inFlightBytesMax: 120 })
    const answers: string[] = []
    const post = (text: string) => {
      const record = { key: 'k', value: Buffer.from(text), headers: {}, timestampMs: 1 }
      const waiter = {
        resolve: () => void answers.push(`${text} stored`),
        reject: (error: Error) => void answers.push(`${text}: ${error.message}`),
      }
      scheduler.post({ topic: 'topic', partition: 0 }, record, waiter)
    }
    for (const text of ['a', 'b', 'c', 'd']) post(text)
    expect(answers).toEqual(['d: Not stored: too much is waiting for Kafka; send it again'])

    await turn()
    delivered[0]?.end(STORED)
    await turn()
    expect(answers.slice(1)).toEqual(['a stored', 'b stored', 'c stored'])
  })

  test('wait while a batch is out and make the next one, in order', async () => {
    const { send, delivered, values } = setUp()
    const answers = [send('a')]
    await turn()
    answers.push(send('b'))
    await turn()
    answers.push(send('c'))
    await turn()
    expect(values()).toEqual([['a']])

    delivered[0]?.end(STORED)
    await turn()
    expect(values()).toEqual([['a'], ['b', 'c']])

    delivered[1]?.end(STORED)
    expect(await Promise.all(answers)).toEqual(['stored', 'stored', 'stored'])
  })

  test('don’t wait for those of another partition or topic', async () => {
    const { send, delivered, values } = setUp()
    const answers = [send('a', 0), send('b', 1), send('c', 0, 'other')]

    await turn()
    expect(values()).toEqual([['a'], ['b'], ['c']])

    for (const { end } of delivered) end(STORED)
    await Promise.all(answers)
  })

  test('that wait go on after a batch whose outcome is unknown, which fails alone', async () => {
    const { send, delivered, values } = setUp()
    const first = send('a')
    await turn()
    const second = send('b')

    delivered[0]?.end(UNKNOWN)
    await turn()

    expect(values()).toEqual([['a'], ['b']])
    delivered[1]?.end(STORED)
    expect(await Promise.all([first, second])).toEqual(['kafka.outcome_unknown', 'stored'])
  })
})

describe('a record', () => {
  test('that waited too long is rejected in time, and isn’t sent when its turn comes', async () => {
    const { send, scheduler, delivered, values } = setUp({ produceTimeoutMs: 100 })
    const stuck = send('stuck')
    await turn()
    const waiting = send('waiting')

    jest.advanceTimersByTime(90)
    const bytes = scheduler.inFlightBytes()
    jest.advanceTimersByTime(10)
    expect(scheduler.inFlightBytes()).toBeLessThan(bytes)
    expect(await Promise.all([stuck, waiting])).toEqual(['kafka.unavailable', 'kafka.unavailable'])

    delivered[0]?.end(STORED)
    await turn()
    const later = send('later')
    await turn()
    expect(values()).toEqual([['stuck'], ['later']])
    delivered[1]?.end(STORED)
    expect(await later).toBe('stored')
  })

  test('has its time counted from its own send, not from that of its batch', async () => {
    const { send, scheduler, delivered } = setUp({ produceTimeoutMs: 200 })
    const old = send('old')
    await turn()
    jest.advanceTimersByTime(200)
    expect(await old).toBe('kafka.unavailable')

    const young = send('young')
    jest.advanceTimersByTime(150)
    delivered[0]?.end(UNKNOWN)
    await turn()
    delivered[1]?.end(STORED)
    expect(await young).toBe('stored')
    expect(scheduler.inFlightBytes()).toBe(0)
  })

  test('beyond the bytes in flight is refused at once; answers make room', async () => {
    const { send, scheduler, delivered } = setUp({ inFlightBytesMax: 2_900 })
    const answers = [send('x'.repeat(1_000)), send('y'.repeat(1_000))]

    expect(await send('z'.repeat(1_000))).toBe('kafka.unavailable')
    const full = scheduler.inFlightBytes()
    expect(full).toBeGreaterThan(2_000)

    await turn()
    delivered[0]?.end(STORED)
    await Promise.all(answers)
    expect(scheduler.inFlightBytes()).toBe(0)
    const again = send('z'.repeat(1_000))
    await turn()
    delivered[1]?.end(STORED)
    expect(await again).toBe('stored')
  })
})

test('partitions that are stuck leave room for the others, however many they are', async () => {
  const { send, scheduler, delivered } = setUp({ inFlightBytesMax: 100_000 })
  const answers: Promise<string>[] = []
  const fill = (partition: number): void => {
    for (let i = 0; i < 1_000; i++) answers.push(send('x'.repeat(200), partition))
  }

  fill(0)
  const ofOne = scheduler.inFlightBytes()
  fill(1)
  fill(2)

  expect(ofOne).toBeGreaterThan(76_000)
  expect(ofOne).toBeLessThan(77_000)
  const other = send('y', 3)
  await turn()
  for (const { end } of delivered) end(STORED)
  expect(await other).toBe('stored')
  scheduler.forgetTopic('topic')
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['stored', 'kafka.unavailable']))
})

test('a party with all its partitions stuck leaves an eighth to the other parties', async () => {
  const partyOf = (topic: string) => topic.split('.')[0] ?? ''
  const { send, scheduler, delivered } = setUp({ inFlightBytesMax: 100_000, partyOf })
  const answers: Promise<string>[] = []
  for (const topic of ['one.a', 'one.b', 'one.c'])
    for (let partition = 0; partition < 30; partition += 1)
      for (let i = 0; i < 500; i += 1) answers.push(send('x'.repeat(200), partition, topic))

  expect(scheduler.inFlightBytes()).toBeGreaterThan(86_000)
  expect(scheduler.inFlightBytes()).toBeLessThanOrEqual(87_500)
  const others = Array.from({ length: 40 }, (_, nth) => send('y'.repeat(200), 0, `two.${nth}`))
  await turn()
  for (const { batch, end } of delivered) if (batch.topic.startsWith('two')) end(STORED)
  expect(new Set(await Promise.all(others))).toEqual(new Set(['stored']))
  for (const topic of ['one.a', 'one.b', 'one.c']) scheduler.forgetTopic(topic)
  expect(new Set(await Promise.all(answers))).toEqual(new Set(['kafka.unavailable']))
  for (const { end } of delivered) end(UNKNOWN)
})

test('bytes in flight come back to nothing whatever becomes of the records', async () => {
  const { send, scheduler, delivered } = setUp({ produceTimeoutMs: 150 })
  const answers = ['a', 'b', 'c'].map((text) => send(text))
  await turn()
  answers.push(send('queued'), send('forgotten', 0, 'gone'), send('other', 1))
  await turn()
  scheduler.forgetTopic('gone')
  delivered[0]?.end({ kind: 'too_large' })
  await turn()

  jest.advanceTimersByTime(150)
  const outcomes = await Promise.all(answers)
  for (const { end } of delivered) end(UNKNOWN)

  expect(new Set(outcomes)).toEqual(new Set(['kafka.unavailable']))
  await turn()
  expect(scheduler.inFlightBytes()).toBe(0)
})
