// The producer id and sequence numbers of batches, after each possible outcome of earlier batches.
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { FIRST_PRODUCER_ID, TOPIC_ID } from '../support-fake-broker.ts'
import type { FakeBroker } from '../support-fake-broker.ts'
import { NOT_APPENDED, STORED, broker, event, producer } from './support-producer.ts'

const OUT_OF_ORDER_SEQUENCE_NUMBER = 45
const INVALID_PRODUCER_EPOCH = 47
const UNKNOWN_PRODUCER_ID = 59
const UNKNOWN_TOPIC_ID = 100

const codeOf = (sending: Promise<void>): Promise<string> =>
  sending.then(
    () => 'stored',
    (error: { code: string }) => error.code,
  )

/** Returns the sent batches, each with its producer id (counted from 0) and sequence. */
const numbersOf = ({ batches }: FakeBroker): string[] =>
  batches.map(
    ({ values, producerId, sequence }) =>
      `${values.join('')} ${producerId - FIRST_PRODUCER_ID}/${sequence}`,
  )

test('records are numbered one by one in their partition', async () => {
  const fake = await broker({ reply: () => STORED })
  const sending = producer(fake)

  await Promise.all(['a', 'b'].map((text) => sending.send('topic', 0, event(text))))
  await sending.send('topic', 1, event('c'))
  await sending.send('topic', 0, event('d'))

  expect(numbersOf(fake)).toEqual(['ab 0/0', 'c 0/0', 'd 0/2'])
})

test('what is refused for certain takes no number, and goes out again without what expired', async () => {
  const refused = { errorCode: 6, baseOffset: NOT_APPENDED }
  let isRefusing = true
  const fake = await broker({ reply: () => (isRefusing ? refused : STORED) })
  const sending = producer(fake, { produceTimeoutMs: 3_000 })
  const first = codeOf(sending.send('topic', 0, event('a')))
  expect(await first).not.toBe('stored')
  isRefusing = false
  await pollUntil(() => sending.inFlightBytes() === 0, { deadlineMs: 60_000 })

  expect(await codeOf(sending.send('topic', 0, event('b')))).toBe('stored')

  expect(fake.batches.at(-1)).toMatchObject({ values: ['b'], sequence: 0 })
})

test('after an outcome that stays unknown the partition goes on under another producer id', async () => {
  const fake = await broker({ reply: ({ values }) => (values[0] === 'b' ? 'hang up' : STORED) })
  const sending = producer(fake, { produceTimeoutMs: 3_000 })
  await sending.send('topic', 0, event('a'))
  await sending.send('topic', 1, event('x'))

  expect(await codeOf(sending.send('topic', 0, event('b')))).toBe('kafka.outcome_unknown')
  await pollUntil(() => sending.inFlightBytes() === 0, { deadlineMs: 60_000 })
  await pollUntil(async () => (await codeOf(sending.send('topic', 0, event('c')))) === 'stored', {
    deadlineMs: 60_000,
  })
  await sending.send('topic', 1, event('y'))

  const numbers = numbersOf(fake)
  expect([...new Set(numbers.slice(0, 3))]).toEqual(['a 0/0', 'x 0/0', 'b 0/1'])
  expect(numbers.filter((one) => one.startsWith('b'))).toEqual(
    expect.not.arrayContaining([expect.not.stringMatching(/^b 0\/1$/)]),
  )
  expect(numbers.at(-2)).toBe('c 1/0')
  expect(numbers.at(-1)).toBe('y 0/1')
})

test.each([OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH, UNKNOWN_PRODUCER_ID])(
  'a batch whose numbers the broker refuses (%i) the first time goes out under another producer id',
  async (errorCode) => {
    const refused = { errorCode, baseOffset: NOT_APPENDED }
    const fake = await broker({ reply: (_, count) => (count === 2 ? refused : STORED) })
    const sending = producer(fake)

    await sending.send('topic', 0, event('a'))
    await sending.send('topic', 0, event('b'))

    expect(numbersOf(fake)).toEqual(['a 0/0', 'b 0/1', 'b 1/0'])
  },
)

test.each([OUT_OF_ORDER_SEQUENCE_NUMBER, INVALID_PRODUCER_EPOCH, UNKNOWN_PRODUCER_ID])(
  'a repeated batch whose numbers the broker refuses (%i) may be stored, and is not sent again',
  async (errorCode) => {
    const refused = { errorCode, baseOffset: NOT_APPENDED }
    const fake = await broker({
      reply: (_, count) => (count === 1 ? 'hang up' : count === 2 ? refused : STORED),
    })
    const sending = producer(fake)

    expect(await codeOf(sending.send('topic', 0, event('a')))).toBe('kafka.outcome_unknown')
    await sending.send('topic', 0, event('b'))

    expect(numbersOf(fake)).toEqual(['a 0/0', 'a 0/0', 'b 1/0'])
  },
)

test('a batch that may be stored stays so when the broker refuses it later', async () => {
  const refused = { errorCode: 6, baseOffset: NOT_APPENDED }
  const fake = await broker({ reply: (_, count) => (count === 1 ? 'hang up' : refused) })

  const sent = producer(fake, { produceTimeoutMs: 3_000 }).send('topic', 0, event('a'))
  expect(await codeOf(sent)).toBe('kafka.outcome_unknown')

  expect(new Set(numbersOf(fake))).toEqual(new Set(['a 0/0']))
})

test.each([13, 9])(
  'what is meant for a topic does not get into another of its name (Produce %i)',
  async (produceVersionMax) => {
    let topicId = TOPIC_ID
    const gone = { errorCode: produceVersionMax === 13 ? UNKNOWN_TOPIC_ID : 3, baseOffset: -1 }
    const fake = await broker({
      reply: ({ values }) => {
        if (values[0] !== 'b') return STORED
        topicId = TOPIC_ID.replaceAll('1', '9')
        return gone
      },
      topicId: () => topicId,
      produceVersionMax,
    })
    const sending = producer(fake)
    await sending.send('topic', 0, event('a'))

    expect(await codeOf(sending.send('topic', 0, event('b')))).toBe('kafka.unavailable')
    await sending.send('topic', 0, event('c'))

    expect(numbersOf(fake)).toEqual(['a 0/0', 'b 0/1', 'c 1/0'])
  },
)

test('a batch of a forgotten topic that may be stored is not sent again', async () => {
  const fake = await broker({
    reply({ values }) {
      if (values[0] !== 'b') return STORED
      sending.forgetTopic('topic')
      return 'hang up'
    },
  })
  const sending = producer(fake)
  await sending.send('topic', 0, event('a'))

  expect(await codeOf(sending.send('topic', 0, event('b')))).toBe('kafka.outcome_unknown')

  expect(numbersOf(fake)).toEqual(['a 0/0', 'b 0/1'])
})

test('a topic that is forgotten is written under another producer id', async () => {
  const fake = await broker({ reply: () => STORED })
  const sending = producer(fake)
  await sending.send('topic', 0, event('a'))
  await sending.send('other', 0, event('x'))

  sending.forgetTopic('topic')
  await sending.send('topic', 0, event('b'))
  await sending.send('other', 0, event('y'))

  expect(numbersOf(fake)).toEqual(['a 0/0', 'x 0/0', 'b 1/0', 'y 0/1'])
})
