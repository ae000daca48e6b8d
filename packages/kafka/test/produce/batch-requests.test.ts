// How batches are grouped into requests, and the limits of a request.
import { describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { STORED, NOT_APPENDED, broker, producer, producersOf, event } from './support-producer.ts'

test('one request is out at a time: what waits for it and is given up was never sent', async () => {
  const fake = await broker({ reply: ({ values }) => (values[0] === 'a' ? 'silence' : STORED) })
  const sending = producer(fake, { produceTimeoutMs: 3_000 })
  const codeOf = (sent: Promise<void>) =>
    sent.then(
      () => 'stored',
      (error: { code: string }) => error.code,
    )
  await pollUntil(async () => (await codeOf(sending.send('topic', 1, event('x')))) === 'stored', {
    deadlineMs: 60_000,
  })
  const sent = fake.batches.length
  const first = codeOf(sending.send('topic', 0, event('a')))
  await pollUntil(() => fake.batches.length > sent, { deadlineMs: 60_000, everyMs: 5 })
  const second = codeOf(sending.send('topic', 1, event('b')))

  expect(await first).toBe('kafka.outcome_unknown')
  const outcome = await second

  // Both outcomes are correct, depending on whether the record was sent.
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

test('what leaves together shares requests', async () => {
  const fake = await broker({ reply: () => STORED })
  const sending = producer(fake)

  await sending.send('topic', 0, event('first'))
  await Promise.all([0, 1, 2, 3].map((p) => sending.send('topic', p, event(`p${p}`))))

  expect(fake.requests).toEqual([1, 4])
})

test.each([
  ['share requests', 1, [1, 1, 2]],
  ['write one partition in a request each', 0, [1, 1, 1, 1]],
])('two who write by one handle %s', async (_, partition, requests) => {
  const throttled = { ...STORED, throttleMs: 100 }
  const fake = await broker({ reply: (__, count) => (count === 2 ? throttled : STORED) })
  const [one, other] = producersOf(fake)
  await one.send('topic', 0, event('a'))
  await other.send('topic', partition, event('b'))

  await Promise.all([one.send('topic', 0, event('c')), other.send('topic', partition, event('d'))])

  expect(fake.requests).toEqual(requests)
})

test('of batches that share a request each has the answer of its own partition', async () => {
  const fake = await broker({
    reply: ({ partition, values }) =>
      partition === 2 && values[0] === 'x' ? { errorCode: 10, baseOffset: NOT_APPENDED } : STORED,
    produceVersionMax: 9,
  })
  const sending = producer(fake)
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
    await pollUntil(() => fake.batches.length > 0, { deadlineMs: 60_000 })

    sending.forgetTopic('topic')
    await expect(waiting).rejects.toMatchObject({ code: 'kafka.unavailable' })
    answers = STORED
    fake.batches.length = 0
    await sending.send('topic', 0, event('new'))

    expect(fake.batches.map(({ values }) => values)).toEqual([['new']])
    await pollUntil(() => sending.inFlightBytes() === 0, { deadlineMs: 60_000 })
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
