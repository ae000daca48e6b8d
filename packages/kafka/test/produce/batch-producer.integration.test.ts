// The producer against a real broker: each record that it reported as stored is in the log once, and in order.
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'

import { pollUntil } from '@weir/kit'

import { createBatchProducer } from '../../src/produce/batch-producer.ts'
import type { BatchProducer, BatchProducerOptions } from '../../src/produce/types.ts'
import { compressions } from '../../src/protocol/compress.ts'
import { BROKERS, connect, uniqueName } from '../support.ts'
import { lookFromOutside, timesStored, valuesIn } from '../support-broker.ts'
import type { LoggedRecord, Outside } from '../support-broker.ts'

let outside: Outside
const topics: string[] = []
const producers: BatchProducer[] = []
const flows: { stop(): Promise<unknown> }[] = []

beforeAll(async () => {
  outside = await lookFromOutside(BROKERS)
})

afterEach(async () => {
  for (const flow of flows.splice(0)) await flow.stop()
  for (const producer of producers.splice(0)) await producer.close()
})

afterAll(async () => {
  for (const topic of topics)
    await outside.admin.deleteTopics({ topics: [topic] }).catch(() => undefined)
  await outside.close()
})

function producer(options: Partial<BatchProducerOptions> = {}): BatchProducer {
  const made = createBatchProducer(connect(), {
    produceTimeoutMs: 10_000,
    inFlightBytesMax: 64_000_000,
    ...options,
  })
  producers.push(made)
  return made
}

async function makeTopic(partitions: number, config: Record<string, string> = {}): Promise<string> {
  const topic = nameTopic()
  await outside.makeTopic(topic, partitions, config)
  return topic
}

function nameTopic(): string {
  const topic = uniqueName('produce')
  topics.push(topic)
  return topic
}

const event = (value: string) => ({
  key: 'key',
  value: Buffer.from(value),
  headers: { 'svc-schema-id': 'demo' },
  timestampMs: Date.now(),
})

const codeOf = (sending: Promise<void>) =>
  sending.then(
    () => 'stored',
    (error: { code: string }) => error.code,
  )

test('thousands of concurrent sends are stored once each, in order', async () => {
  // Given
  const [a, b, c] = [await makeTopic(3), await makeTopic(1), await makeTopic(5)]
  const sending = producer()
  const lanes = [
    ...range(3).map((partition) => ({ topic: a, partition })),
    { topic: b, partition: 0 },
    ...range(5).map((partition) => ({ topic: c, partition })),
  ]

  // When
  const sends: Promise<void>[] = []
  for (let i = 0; i < 1_000; i++) {
    for (const { topic, partition } of lanes) {
      sends.push(sending.send(topic, partition, event(`event-${i}`)))
    }
    if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(sends)

  // Then
  const wanted = range(1_000).map((i) => `event-${i}`)
  const logs = new Map<string, LoggedRecord[]>()
  for (const topic of [a, b, c]) logs.set(topic, await outside.readLog(topic))
  for (const { topic, partition } of lanes) {
    expect(valuesIn(logs.get(topic) ?? [], partition)).toEqual(wanted)
  }
  expect(sending.inFlightBytes()).toBe(0)
})

test.each(compressions)(
  'batches compressed by %s are taken by the broker, and read as they were sent',
  async (compression) => {
    const topic = await makeTopic(1)
    const sending = producer({ compression })
    const values = range(500).map((i) => `${i}-${'abc'.repeat(i % 50)}`)

    await Promise.all(values.map((value) => sending.send(topic, 0, event(value))))

    expect(valuesIn(await outside.readLog(topic), 0)).toEqual(values)
  },
)

describe('after a record that is too large', () => {
  test('what is acknowledged, there and in other partitions, is really stored', async () => {
    const topic = await makeTopic(2, { 'max.message.bytes': '20000' })
    const sending = producer()
    await sending.send(topic, 0, event('before'))

    const outcomes = await Promise.all([
      codeOf(sending.send(topic, 0, event('with it'))),
      codeOf(sending.send(topic, 0, event('L'.repeat(30_000)))),
      codeOf(sending.send(topic, 0, event('behind it'))),
      codeOf(sending.send(topic, 1, event('elsewhere'))),
    ])
    expect(outcomes).toEqual(['stored', 'kafka.record_too_large', 'stored', 'stored'])
    for (const value of ['next', 'next but one']) {
      await sending.send(topic, 0, event(value))
      await sending.send(topic, 1, event(value))
    }

    const log = await outside.readLog(topic)
    expect(valuesIn(log, 0)).toEqual(['before', 'with it', 'behind it', 'next', 'next but one'])
    expect(valuesIn(log, 1)).toEqual(['elsewhere', 'next', 'next but one'])
  })

  test('a topic that takes less than a batch holds still gets every record, in order', async () => {
    const topic = await makeTopic(1, { 'max.message.bytes': '20000' })
    const sending = producer()
    const values = range(200).map((i) => `${i}-${'x'.repeat(500)}`)

    await Promise.all(values.map((value) => sending.send(topic, 0, event(value))))

    expect(valuesIn(await outside.readLog(topic), 0)).toEqual(values)
  })

  test('one that is larger than a batch but not than the topic allows is stored', async () => {
    const topic = await makeTopic(1, { 'max.message.bytes': '4194304' })
    const large = 'L'.repeat(3_000_000)
    const sending = producer()

    await Promise.all(['a', large, 'b'].map((value) => sending.send(topic, 0, event(value))))

    expect(valuesIn(await outside.readLog(topic), 0)).toEqual(['a', large, 'b'])
  })
})

describe('a batch refused for certain', () => {
  test('for want of the partition is stored once the partition exists', async () => {
    const topic = await makeTopic(1)
    const sending = producer()
    await sending.send(topic, 0, event('first'))
    const waiting = sending.send(topic, 1, event('early'))
    await sending.send(topic, 0, event('second'))

    await outside.admin.createPartitions({ topicPartitions: [{ topic, count: 2 }] })
    await waiting

    const log = await outside.readLog(topic)
    expect(valuesIn(log, 0)).toEqual(['first', 'second'])
    expect(valuesIn(log, 1)).toEqual(['early'])
  })

  test('for want of the topic is stored once the topic exists', async () => {
    const topic = nameTopic()
    const waiting = producer().send(topic, 0, event('early'))

    await outside.makeTopic(topic, 1)
    await waiting

    expect(valuesIn(await outside.readLog(topic), 0)).toEqual(['early'])
  })

  test('is given up at the time-out, and nothing of it is stored', async () => {
    const topic = await makeTopic(1)
    const sending = producer({ produceTimeoutMs: 500 })
    const startMs = performance.now()

    await expect(sending.send(topic, 7, event('nowhere'))).rejects.toMatchObject({
      code: 'kafka.unavailable',
    })
    await expect(sending.send(uniqueName('never'), 0, event('nowhere'))).rejects.toMatchObject({
      code: 'kafka.unavailable',
    })

    expect(performance.now() - startMs).toBeGreaterThan(900)
    expect(await outside.readLog(topic)).toEqual([])
  })
})

describe('a topic deleted while others flow', () => {
  test('by surprise fails only its own sends, and works when it is made again', async () => {
    // Given
    const [kept, gone] = [await makeTopic(2), await makeTopic(2)]
    const sending = producer({ produceTimeoutMs: 1_500 })
    const flow = startFlow(sending, kept)
    await sending.send(gone, 0, event('old'))
    await sending.send(gone, 1, event('old'))

    // When
    await outside.admin.deleteTopics({ topics: [gone] })
    const outcome = () => codeOf(sending.send(gone, 0, event('lost')))
    await pollUntil(async () => (await outcome()) === 'kafka.unavailable', { deadlineMs: 60_000 })
    await outside.makeTopic(gone, 2)
    await sending.send(gone, 0, event('new'))
    await sending.send(gone, 1, event('new'))

    // Then
    const sent = await flow.stop()
    expect(sent.failed).toEqual([])
    expect(valuesIn(await outside.readLog(kept), 0)).toEqual(sent.stored)
    const log = await outside.readLog(gone)
    expect(valuesIn(log, 0)).toEqual(['new'])
    expect(valuesIn(log, 1)).toEqual(['new'])
  })

  test('and forgotten rejects what waits at once, so that none of it gets into the new one', async () => {
    // Given
    const [kept, gone] = [await makeTopic(1), await makeTopic(1)]
    const sending = producer()
    const flow = startFlow(sending, kept)
    await sending.send(gone, 0, event('old'))
    await outside.admin.deleteTopics({ topics: [gone] })
    await pollUntil(async () => !(await outside.admin.listTopics()).includes(gone), {
      deadlineMs: 60_000,
    })

    // When
    const waiting = range(3).map((i) => codeOf(sending.send(gone, 0, event(`lost-${i}`))))
    await new Promise((resolve) => setImmediate(resolve))
    sending.forgetTopic(gone)
    await outside.makeTopic(gone, 1)
    await sending.send(gone, 0, event('new'))

    // Then
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['kafka.unavailable']))
    expect(valuesIn(await outside.readLog(gone), 0)).toEqual(['new'])
    expect((await flow.stop()).failed).toEqual([])
  })
})

test('what is refused for want of room is not stored, and everything else is, once', async () => {
  const topic = await makeTopic(3)
  const sending = producer({ inFlightBytesMax: 100_000 })
  const values = range(3_000).map((i) => `${i}-${'x'.repeat(200)}`)

  const codes = await Promise.all(
    values.map((value, i) => codeOf(sending.send(topic, i % 3, event(value)))),
  )

  const times = timesStored(await outside.readLog(topic))
  expect(new Set(codes)).toEqual(new Set(['stored', 'kafka.unavailable']))
  expect(values.map((value) => times.get(value) ?? 0)).toEqual(
    codes.map((code) => (code === 'stored' ? 1 : 0)),
  )
})

test('closing stores everything that was accepted', async () => {
  const topic = await makeTopic(3)
  const sending = producer()
  const sends = range(2_000).map((i) => sending.send(topic, i % 3, event(`event-${i}`)))

  await sending.close()

  await Promise.all(sends)
  expect(await outside.readLog(topic)).toHaveLength(2_000)
  await expect(sending.send(topic, 0, event('late'))).rejects.toMatchObject({
    code: 'kafka.unavailable',
  })
})

function startFlow(sending: BatchProducer, topic: string) {
  const sent = { stored: [] as string[], failed: [] as string[] }
  let isStopped = false
  const flowing = (async () => {
    for (let i = 0; !isStopped; i++) {
      const code = await codeOf(sending.send(topic, 0, event(`flow-${i}`)))
      ;(code === 'stored' ? sent.stored : sent.failed).push(`flow-${i}`)
    }
  })()
  const flow = {
    async stop() {
      isStopped = true
      await flowing
      return sent
    },
  }
  flows.push(flow)
  return flow
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i)
