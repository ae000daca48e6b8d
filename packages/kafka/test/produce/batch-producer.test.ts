// How the producer handles each possible response of a broker, with fake brokers.
import { describe, expect, jest, test } from '@jest/globals'
import {
  STORED,
  REFUSALS,
  NOT_APPENDED,
  broker,
  producer,
  event,
  holdClock,
  passTimeUntil,
  someTurns,
} from './support-producer.ts'

/** Resolves with `stored`, or with the reason of the rejection. */
const answerTo = (sent: Promise<void>): Promise<unknown> =>
  sent.then(
    () => 'stored',
    (error: unknown) => error,
  )

describe('a batch that the broker', () => {
  test.each(REFUSALS)('refused with %s goes out again, once it is stored', async (_, errorCode) => {
    const refused = { errorCode, baseOffset: NOT_APPENDED }
    const fake = await broker({ reply: (__, count) => (count < 3 ? refused : STORED) })

    await producer(fake).send('topic', 0, event('a'))

    expect(fake.batches.map(({ values }) => values)).toEqual([['a'], ['a'], ['a']])
  })

  test.each(REFUSALS)('keeps refusing with %s is rejected in time', async (_, errorCode) => {
    const fake = await broker({ reply: () => ({ errorCode, baseOffset: NOT_APPENDED }) })
    holdClock()
    const sent = producer(fake, { produceTimeoutMs: 10_000 }).send('topic', 0, event('a'))
    const answer = answerTo(sent)

    await passTimeUntil(() => fake.batches.length > 1)
    jest.advanceTimersByTime(10_000)

    // Both errors are correct, because the record may or may not be in flight at that moment.
    expect(await answer).toMatchObject({
      code: expect.stringMatching(/^kafka.(unavailable|outcome_unknown)$/),
    })
  })

  test.each([...REFUSALS, ['NOT_ENOUGH_REPLICAS_AFTER_APPEND', 20], ['REQUEST_TIMED_OUT', 7]])(
    'had appended when it answered %s goes out again as the same bytes, until it is stored',
    async (_, errorCode) => {
      const appended = { errorCode, baseOffset: 42 }
      const fake = await broker({ reply: (__, count) => (count < 3 ? appended : STORED) })

      await producer(fake).send('topic', 0, event('a'))

      expect(fake.batches).toHaveLength(3)
      expect(new Set(fake.batches.map(({ bytes }) => bytes)).size).toBe(1)
    },
  )

  test.each(['hang up', 'silence'] as const)(
    'may have stored (%s) goes out again as the same bytes, over a new connection',
    async (ending) => {
      const fake = await broker({ reply: (_, count) => (count === 1 ? ending : STORED) })
      const sending = producer(fake, { produceTimeoutMs: 6_000 })

      await sending.send('topic', 0, event('a'))
      await sending.send('topic', 0, event('b'))

      expect(fake.batches.map(({ values }) => values)).toEqual([['a'], ['a'], ['b']])
      expect(new Set(fake.batches.map(({ bytes }) => bytes)).size).toBe(2)
    },
  )

  test('says nothing of until the time-out may be stored', async () => {
    const fake = await broker({ reply: ({ values }) => (values[0] === 'a' ? 'silence' : STORED) })
    holdClock()
    const sending = producer(fake, { produceTimeoutMs: 10_000 })
    const answer = answerTo(sending.send('topic', 0, event('a')))

    await passTimeUntil(() => fake.batches.length > 0)
    jest.advanceTimersByTime(10_000)
    expect(await answer).toMatchObject({ code: 'kafka.outcome_unknown' })
    await passTimeUntil(() => sending.inFlightBytes() === 0)

    jest.useRealTimers()
    await sending.send('topic', 0, event('b'))
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
  const throttled = { ...STORED, throttleMs: 6_000 }

  test('is not written to until its time is over', async () => {
    const fake = await broker({ reply: (_, count) => (count === 1 ? throttled : STORED) })
    holdClock()
    const sending = producer(fake)
    await sending.send('topic', 0, event('a'))

    const others = [0, 1, 2].map((p) => sending.send('topic', p, event('b')))
    jest.advanceTimersByTime(5_990)
    await someTurns()
    expect(fake.requests).toEqual([1])

    jest.advanceTimersByTime(10)
    await Promise.all(others)
    expect(fake.requests).toEqual([1, 3])
  })

  test('is never sent what was given up meanwhile, which is told to be not stored', async () => {
    const fake = await broker({ reply: (_, count) => (count === 1 ? throttled : STORED) })
    holdClock()
    const sending = producer(fake, { produceTimeoutMs: 3_000 })
    await sending.send('topic', 0, event('a'))

    const answer = answerTo(sending.send('topic', 0, event('b')))
    jest.advanceTimersByTime(3_000)
    expect(await answer).toMatchObject({
      code: 'kafka.unavailable',
      message: 'Not stored: Kafka did not take it in time; send it again',
    })
    await someTurns()
    expect(sending.inFlightBytes()).toBe(0)
    jest.advanceTimersByTime(3_000)
    await sending.send('topic', 0, event('c'))

    expect(fake.batches.map(({ values }) => values)).toEqual([['a'], ['c']])
  })

  test('puts off those who come over a new connection, too', async () => {
    const fake = await broker({ reply: (_, count) => (count === 1 ? throttled : STORED) })
    holdClock()
    const sending = producer(fake)
    await sending.send('topic', 0, event('a'))
    fake.cutAll()

    const later = sending.send('topic', 0, event('b'))
    jest.advanceTimersByTime(5_000)
    await someTurns()
    expect(fake.requests).toEqual([1])

    await passTimeUntil(() => fake.requests.length > 1)
    await later
  })

  test('gets smaller requests for as long as it does, of every partition in turn', async () => {
    const fake = await broker({
      reply: ({ values }) => ({ ...STORED, throttleMs: Math.floor(values.join('').length / 400) }),
    })
    const sending = producer(fake, { produceTimeoutMs: 20_000, inFlightBytesMax: 10_000_000 })
    const large = event('x'.repeat(4_000))
    await Promise.all(Array.from({ length: 100 }, () => sending.send('topic', 0, large)))

    const busy = Array.from({ length: 50 }, () => sending.send('topic', 0, large))
    await Promise.all([sending.send('topic', 1, event('quiet')), ...busy])
    expect(fake.batches.findIndex(({ values }) => values[0] === 'quiet')).toBeLessThan(
      fake.batches.length - 1,
    )
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
