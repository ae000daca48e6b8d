// How ingest's responses to several attempts lead to the outcome of `send`. Nothing is sent: the test sets the
// responses and the clock.
import { expect, test } from '@jest/globals'
import { RejectedError } from '../../src/errors.ts'
import { createBuffer } from '../../src/sending/buffer.ts'
import type { Pending } from '../../src/sending/pending.ts'
import { deliver } from '../../src/sending/deliver.ts'
import type { IngestRequest } from '../../src/sending/connection.ts'
import type { Answer, NoAnswer } from '../../src/sending/outcomes.ts'
import { NoToken } from '../../src/tokens.ts'

const answer = (status: number, code?: string, text = 'the line'): Answer => ({
  status,
  code,
  retryAfter: undefined,
  text,
})
const batchAnswer = (accepted: number, ...rejected: readonly object[]): Answer =>
  answer(200, undefined, JSON.stringify({ accepted, rejected }))
const noAnswer = (mayBeStored: boolean): NoAnswer => ({ trouble: 'broke off', mayBeStored })
const entry = (index: number, status: number, code: string) => ({
  index,
  status,
  code,
  message: 'the line',
})

/** Creates the inner parts of a producer, which gets these responses. */
function insideOf(count: number, answers: (Answer | NoAnswer)[]) {
  const buffer = createBuffer({ events: 100, bytes: 1_000 })
  const seen = {
    outcomes: Array.from({ length: count }, (): unknown => 'none'),
    requests: [] as IngestRequest[],
    gate: [] as string[],
    rested: [] as number[],
    retries: 0,
    nowMs: 0,
    tokensAsked: 0,
  }
  let token: string | Error = 'token 1'
  for (let number = 0; number < count; number += 1)
    buffer.add({
      number,
      bytes: Buffer.from(String(number)),
      deadlineMs: 1_000,
      resolve: () => (seen.outcomes[number] = 'stored'),
      reject: (error) => (seen.outcomes[number] = error),
      state: 'waiting',
      tries: 0,
      mayBeStored: false,
      tokensRefused: 0,
    })
  const deps = {
    buffer,
    gate: {
      open: () => 1,
      succeeded: () => void seen.gate.push('succeeded'),
      failed: () => seen.gate.push('failed'),
      slowDown: () => seen.gate.push('slower'),
      close: () => undefined,
    },
    tokens: {
      async get() {
        seen.tokensAsked += 1
        if (token instanceof Error) throw token
        return token
      },
      refused: () => (token = 'token 2'),
    },
    connection: {
      async request(request: IngestRequest) {
        seen.requests.push(request)
        return answers.shift() ?? answer(204)
      },
      close: () => undefined,
    },
    encoding: {
      schemaId: 'clickstream',
      contentTypes: { one: 'one', many: 'many' },
      encode: () => Buffer.alloc(0),
      join: (events: readonly Buffer[]) => Buffer.concat(events),
    },
    paths: { one: '/event', many: '/events' },
    nowMs: () => seen.nowMs,
    random: () => 1,
    onRetry: () => void (seen.retries += 1),
    rest: (events: readonly Pending[]) => {
      seen.rested.push(...events.map(({ number }) => number))
      buffer.queue.putBack(events)
    },
  }
  return {
    seen,
    useToken: (next: string | Error) => (token = next),
    async once() {
      await deliver(deps, buffer.queue.takeBatch({ events: 100, bytes: 1_000 }))
      return seen
    },
  }
}

test('one event goes to /event, several to /events, with what ingest wants to know', async () => {
  const one = await insideOf(1, [answer(204)]).once()
  expect(one.requests[0]).toMatchObject({
    path: '/event',
    headers: {
      authorization: 'Bearer token 1',
      'svc-schema-id': 'clickstream',
      'content-type': 'one',
    },
  })
  const three = await insideOf(3, [batchAnswer(3)]).once()
  expect(three.requests[0]).toMatchObject({ path: '/events', body: Buffer.from('012') })
  expect(three.outcomes).toEqual(['stored', 'stored', 'stored'])
  expect(three.gate).toEqual(['succeeded'])
})

test('what may be stored and is refused later for another reason than itself is not called rejected', async () => {
  for (const [first, mayBeStored] of [
    [noAnswer(true), true],
    [answer(503), true],
    [noAnswer(false), false],
    [answer(429), false],
  ] as const) {
    const { once } = insideOf(1, [first, answer(403, 'stream_disabled')])
    await once()
    const { outcomes } = await once()
    expect(outcomes[0]).toMatchObject(
      mayBeStored
        ? { name: 'UndeliveredError', code: 'refused_on_retry', mayBeStored: true }
        : { name: 'RejectedError', code: 'stream_disabled', status: 403 },
    )
  }
})

test('what breaks a rule of its contract is rejected, whatever became of earlier tries', async () => {
  const { once } = insideOf(1, [noAnswer(true), answer(400, 'validation_failed')])
  await once()
  expect((await once()).outcomes[0]).toMatchObject({
    name: 'RejectedError',
    code: 'validation_failed',
    message: 'the line',
  })
})

test('of many events only those that were not stored are sent again', async () => {
  const { once } = insideOf(4, [
    batchAnswer(2, entry(1, 400, 'undecodable'), entry(2, 503, 'unavailable')),
    answer(204),
  ])
  const seen = await once()
  expect(seen.outcomes).toEqual([
    'stored',
    expect.objectContaining({ code: 'undecodable' }),
    'none',
    'stored',
  ])
  // The other events continue meanwhile.
  expect([seen.rested, seen.gate]).toEqual([[2], ['succeeded']])
  expect((await once()).outcomes[2]).toBe('stored')
  expect(seen.requests[1]?.body.toString()).toBe('2')
})

test('too many events a second slow everybody down; a request that failed stops them all for a while', async () => {
  const fast = await insideOf(2, [batchAnswer(1, entry(1, 429, 'event_rate_exceeded'))]).once()
  expect(fast.gate).toEqual(['succeeded', 'slower'])
  for (const failure of [noAnswer(true), answer(503), answer(500)]) {
    const failed = await insideOf(2, [failure]).once()
    expect([failed.gate, failed.retries]).toEqual([['failed'], 1])
  }
})

test('a refused token is replaced once; when the next is refused, too, that is final', async () => {
  const { once } = insideOf(1, [answer(401, 'invalid_token'), answer(204)])
  await once()
  const seen = await once()
  expect(seen.requests[1]?.headers).toMatchObject({ authorization: 'Bearer token 2' })
  expect(seen.outcomes).toEqual(['stored'])

  const gone = insideOf(1, [answer(401, 'invalid_token'), answer(401, 'invalid_token')])
  await gone.once()
  expect((await gone.once()).outcomes[0]).toMatchObject({ code: 'invalid_token', status: 401 })
})

test('without a token nothing leaves: while auth is away events wait, and refused credentials are final', async () => {
  const { once, useToken, seen } = insideOf(2, [batchAnswer(2)])
  useToken(new NoToken('away', undefined))
  await once()
  expect([seen.outcomes, seen.requests, seen.gate]).toEqual([['none', 'none'], [], ['failed']])
  useToken('token 3')
  expect((await once()).outcomes).toEqual(['stored', 'stored'])

  const refused = insideOf(1, [])
  refused.useToken(new RejectedError('invalid_credentials', 'no', 401))
  expect((await refused.once()).outcomes[0]).toMatchObject({ code: 'invalid_credentials' })
})

test.each([
  [noAnswer(true), true],
  [answer(503), true],
  [noAnswer(false), false],
  [answer(429), false],
])(
  'when its time is over it says whether it may be stored: after %j %p',
  async (last, mayBeStored) => {
    const { once, seen } = insideOf(1, [last])
    seen.nowMs = 1_000
    expect((await once()).outcomes[0]).toMatchObject({ code: 'timed_out', mayBeStored })
  },
)
