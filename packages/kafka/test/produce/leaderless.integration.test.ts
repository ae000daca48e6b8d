// The only broker of a partition is gone. The partition's records fail within the time-out, and records of other
// partitions are stored.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { createBatchProducer } from '../../src/produce/batch-producer.ts'
import { openTopics } from '../broker-promises/topics.ts'
import type { Topics } from '../broker-promises/topics.ts'
import { FIRST, SECOND, startTwoBrokers } from '../broker-promises/two-brokers.ts'
import type { TwoBrokers } from '../broker-promises/two-brokers.ts'
import { connect } from '../support.ts'
import { lookFromOutside, timesStored } from '../support-broker.ts'

const PRODUCE_TIMEOUT_MS = 2_000
const CODES = ['kafka.outcome_unknown', 'kafka.unavailable']

let both: TwoBrokers
let topics: Topics

beforeAll(async () => {
  both = await startTwoBrokers()
  topics = openTopics(both.brokers)
}, 180_000)

afterAll(async () => {
  await topics.close()
  await both.stop()
})

type Sent = { readonly value: string; readonly code: string }

test('while a partition has no leader its records are refused at their time-out, and those of others are stored', async () => {
  // Given
  const here = await topics.make('here', { replicas: [FIRST] })
  const there = await topics.make('there', { replicas: [SECOND] })
  const options = { produceTimeoutMs: PRODUCE_TIMEOUT_MS, inFlightBytesMax: 10_000_000 }
  const producer = createBatchProducer(connect(both.brokers), options)
  let count = 0
  const send = async (topic: string): Promise<Sent> => {
    const value = `event-${count++}`
    const record = { key: 'key', value: Buffer.from(value), headers: {}, timestampMs: Date.now() }
    const code = await producer.send(topic, 0, record).then(
      () => 'stored',
      (error: { code: string }) => error.code,
    )
    return { value, code }
  }
  for (const topic of [here, there]) {
    const isLed = async () => (await send(topic)).code === 'stored'
    await pollUntil(isLed, { deadlineMs: 60_000, what: 'a partition with a leader' })
  }

  // When
  await both.second.killBroker()
  const waiting = Array.from({ length: 10 }, () => send(there))
  let areRefused = false
  const refused = Promise.all(waiting).finally(() => void (areRefused = true))
  const meanwhile: Sent[] = []
  while (!areRefused) meanwhile.push(await send(here))

  // Then
  expect((await refused).filter(({ code }) => !CODES.includes(code))).toEqual([])
  expect(meanwhile.length).toBeGreaterThan(20)
  expect(meanwhile.filter(({ code }) => code !== 'stored')).toEqual([])

  // And records that were certainly refused are not in any log
  await both.second.restartBroker()
  const isStored = async () => (await send(there)).code === 'stored'
  await pollUntil(isStored, { deadlineMs: 60_000, what: 'a partition with a leader again' })
  const outside = await lookFromOutside([...both.brokers])
  const times = timesStored([...(await outside.readLog(here)), ...(await outside.readLog(there))])
  await outside.close()
  await producer.close()
  expect(meanwhile.filter(({ value }) => times.get(value) !== 1)).toEqual([])
  const unstored = (await refused).filter(({ code }) => code === 'kafka.unavailable')
  expect(unstored.filter(({ value }) => times.has(value))).toEqual([])
}, 180_000)

test('a party all of whose partitions have no leader leaves room for the others', async () => {
  // Given
  const calm = await topics.make('calm', { replicas: [FIRST] })
  const stuck: string[] = []
  for (let nth = 0; nth < 8; nth += 1)
    stuck.push(await topics.make('stuck', { replicas: [SECOND] }))
  const producer = createBatchProducer(connect(both.brokers), {
    produceTimeoutMs: 20_000,
    inFlightBytesMax: 2_000_000,
    partyOf: (topic) => topic.split('-')[1] ?? '',
  })
  const send = (topic: string, bytes: number): Promise<string> => {
    const value = Buffer.alloc(bytes)
    const record = { key: 'key', value, headers: {}, timestampMs: Date.now() }
    return producer.send(topic, 0, record).then(
      () => 'stored',
      (error: { code: string }) => error.code,
    )
  }
  for (const topic of [calm, ...stuck]) {
    const isLed = async () => (await send(topic, 100)) === 'stored'
    await pollUntil(isLed, { deadlineMs: 60_000, what: 'a partition with a leader' })
  }

  // When
  await both.second.killBroker()
  const waiting = stuck.flatMap((topic) => Array.from({ length: 50 }, () => send(topic, 50_000)))
  for (const topic of stuck) waiting.push(...Array.from({ length: 50 }, () => send(topic, 500)))

  // Then
  expect(producer.inFlightBytes()).toBeGreaterThan(1_700_000)
  for (let nth = 0; nth < 20; nth += 1) expect(await send(calm, 10_000)).toBe('stored')
  expect(producer.inFlightBytes()).toBeGreaterThan(1_700_000)
  await both.second.restartBroker()
  await Promise.all(waiting)
  await producer.close()
}, 180_000)
