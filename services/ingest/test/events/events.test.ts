// A request of many events without a network: which events are stored in which order, which are rejected, and when the
// whole request is refused.
import { Buffer } from 'node:buffer'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { HttpRequest, HttpResponse } from '@weir/http2'
import type { Waiter } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { exampleEvent } from '@weir/testkit'
import type { ActiveContract } from '../../src/event/active-contracts.ts'
import { createBacklog } from '../../src/events/backlog.ts'
import { refusal } from '../../src/errors.ts'
import { takeEvents } from '../../src/events/take-events.ts'
import { createLongWork } from '../../src/event/long-work.ts'
import type { CheckedEvent } from '../../src/event/check-event.ts'
import { activeContract, inputStream } from '../support/records.ts'

let active: ActiveContract
let example: Record<string, unknown>
beforeAll(async () => {
  active = await activeContract()
  example = await exampleEvent('clickstream')
})

const credential = { clientId: 'c', secretHash: '', scope: ['send' as const], createdAtMs: 1 }
const access = {
  stream: inputStream(),
  credential,
  scope: credential.scope,
  clientId: 'c',
  expiresAt: 1,
  kid: 'k',
}
const unavailable = new AppError('kafka.unavailable', 'Kafka is away')
const good = (key: string): string => JSON.stringify({ ...example, producerSessionId: key })
const bad = (at: number): string => `{"bad": ${at}`

type Posted = { key: string; waiter: Waiter }
type Parts = {
  chunks?: () => AsyncGenerator<Buffer, void, void>
  lines?: readonly string[]
  /** Decides the outcome of an event. Without it every event is stored. */
  onPost?: (posted: Posted) => void
  access?: (asked: number) => typeof access
  shareBytesMax?: number
}

async function* oneByOne(lines: readonly string[]): AsyncGenerator<Buffer, void, void> {
  for (const line of lines) yield Buffer.from(`${line}\n`)
}

/** Returns a clock that advances by a tenth of a millisecond at each call. */
function tickingClock(): () => number {
  let ticks = 0
  return () => (ticks += 1) / 10
}

function run({ lines = [], onPost, shareBytesMax = 1_000_000, ...parts }: Parts) {
  const posted: string[] = []
  const counts: Record<string, number> = {}
  const month = { stored: 0, refused: 0 }
  let asked = 0
  const clock = tickingClock()
  const headers: Record<string, string> = {
    'svc-schema-id': 'clickstream',
    'content-type': 'application/x-ndjson',
  }
  const request: HttpRequest = {
    method: 'POST',
    path: '/events',
    query: '',
    header: (name) => headers[name],
    headerCount: (name) => (headers[name] === undefined ? 0 : 1),
    body: () => undefined,
    chunks: parts.chunks ?? (() => oneByOne(lines)),
  }
  const answering = takeEvents(
    {
      access: () => (parts.access ?? (() => access))(asked++),
      isFresh: () => true,
      limits: {
        admit: () => {},
        reserve: () => void (month.stored += 1),
        release: () => void (month.stored -= 1),
        refused: () => void (month.refused += 1),
      },
      contractFor: () => active,
      store({ key }: CheckedEvent, _nowMs, waiter) {
        posted.push(key)
        if (onPost === undefined) waiter.resolve()
        else onPost({ key, waiter })
      },
      backlog: createBacklog({ bytesMax: 10_000_000, shareBytesMax }),
      metrics: {
        events: (code, events) => void (counts[code] = (counts[code] ?? 0) + events),
      },
      onInternal: () => {},
      longWork: createLongWork(clock),
      now: () => 1,
      eventBytesMax: 1_000_000,
      schemaIdHeaders: ['svc-schema-id'],
    },
    request,
  )
  return { answering, posted, counts, month }
}

type Answer = { accepted: number; rejected: { index: number; status: number; code: string }[] }
async function read({ body }: HttpResponse): Promise<Answer> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return JSON.parse(String(body))
  const pieces: Buffer[] = []
  for await (const piece of body ?? []) pieces.push(piece)
  return JSON.parse(Buffer.concat(pieces).toString())
}
const isWhole = ({ body }: HttpResponse): boolean => Buffer.isBuffer(body)

describe('an answer', () => {
  test('tells how many are stored, and of the others why not', async () => {
    const { answering, posted, counts, month } = run({
      lines: [good('a'), bad(1), '', good('b'), good('')],
    })
    const answer = await answering
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'application/json' } })
    expect(await read(answer)).toEqual({
      accepted: 2,
      rejected: [
        {
          index: 1,
          status: 400,
          code: 'undecodable',
          message: 'The line is not JSON; each event must be on one line',
        },
        {
          index: 3,
          status: 400,
          code: 'key_field_empty',
          message: 'The key field producerSessionId is empty',
        },
      ],
    })
    expect(posted).toEqual(['a', 'b'])
    expect(counts).toEqual({ none: 2, undecodable: 1, key_field_empty: 1 })
    expect(month).toEqual({ stored: 2, refused: 2 })
  })

  test('says what to do when curl has joined the lines', async () => {
    const { rejected } = await read(await run({ lines: [good('a') + good('b')] }).answering)
    const message =
      'The line has more after its first JSON value; each event must be on a line of its own, which curl keeps only with --data-binary'
    expect(rejected).toMatchObject([{ index: 0, code: 'undecodable', message }])
  })

  test('says that an event has no comma at its end', async () => {
    const { rejected } = await read(await run({ lines: [good('a'), `${good('b')},`] }).answering)
    const message = 'The line has more after its first JSON value; an event has no comma at its end'
    expect(rejected).toMatchObject([{ index: 1, code: 'undecodable', message }])
  })

  test('to a JSON array stores none of its lines, so that all can be sent again', async () => {
    const { answering, posted } = run({ lines: ['[', `${good('a')},`, good('b'), ']'] })
    const { accepted, rejected } = await read(await answering)
    expect(accepted).toBe(0)
    expect(posted).toEqual([])
    const message =
      'The body begins like a JSON array; /event takes one event, and /events several, one per line (application/x-ndjson)'
    expect(rejected.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    for (const one of rejected) expect(one).toMatchObject({ code: 'undecodable', message })
  })

  test('to no events at all is that', async () => {
    expect(await read(await run({}).answering)).toEqual({ accepted: 0, rejected: [] })
  })

  test('names the rejected in order, though Kafka refuses late', async () => {
    const waiting: Posted[] = []
    const { answering } = run({
      lines: [good('a'), good('b'), bad(2), good('c'), bad(4)],
      onPost: (posted) => {
        waiting.push(posted)
        if (waiting.length < 3) return
        setImmediate(() => {
          waiting[0]?.waiter.resolve()
          waiting[2]?.waiter.reject(unavailable)
          waiting[1]?.waiter.reject(unavailable)
        })
      },
    })
    const { accepted, rejected } = await read(await answering)
    expect(accepted).toBe(1)
    expect(rejected.map(({ index, status }) => [index, status])).toEqual([
      [1, 503],
      [2, 400],
      [3, 503],
      [4, 400],
    ])
  })

  test('that is long comes in pieces, still whole and in order', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => (i % 7 === 0 ? good(`${i}`) : bad(i)))
    const { answering, counts } = run({ lines })
    const answer = await answering
    expect(isWhole(answer)).toBe(false)
    const { accepted, rejected } = await read(answer)
    const expected = lines.flatMap((line, i) => (line.startsWith('{"bad"') ? [i] : []))
    expect([accepted, rejected.map(({ index }) => index)]).toEqual([715, expected])
    expect(counts).toEqual({ none: 715, undecodable: 4_285 })
  })

  test('begins while the body still comes in', async () => {
    let isOver = false
    async function* chunks(): AsyncGenerator<Buffer, void, void> {
      for (let i = 0; i < 2_000; i += 1) yield Buffer.from(`${bad(i)}\n`)
      await answering
      isOver = true
    }
    const { answering } = run({ chunks })
    const answer = await answering
    expect(isOver).toBe(false)
    expect((await read(answer)).rejected).toHaveLength(2_000)
    expect(isOver).toBe(true)
  })
})

describe('when Kafka takes nothing', () => {
  const refuseLater = ({ waiter }: Posted): void =>
    void setImmediate(() => waiter.reject(unavailable))

  test('all is refused, and the rest not even tried', async () => {
    const lines = Array.from({ length: 2_000 }, (_, i) => good(`${i}`))
    const { answering, posted, month } = run({ lines, onPost: refuseLater })
    await expect(answering).rejects.toMatchObject({
      code: 'unavailable',
      message: 'Kafka is away',
    })
    expect(posted.length).toBeLessThan(100)
    expect(month.stored).toBe(0)
  })

  test('it is so too when the others are rejected for what they say', async () => {
    const { answering } = run({ lines: [bad(0), good('a'), bad(2)], onPost: refuseLater })
    await expect(answering).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('but not once something is stored', async () => {
    const onPost = (posted: Posted): void =>
      posted.key === 'a' ? posted.waiter.resolve() : refuseLater(posted)
    const { answering } = run({ lines: [good('a'), good('b'), good('c')], onPost })
    const { accepted, rejected } = await read(await answering)
    expect([accepted, rejected.map(({ code }) => code)]).toEqual([
      1,
      ['unavailable', 'unavailable'],
    ])
  })

  test('and none is refused for Kafka, the answer is no refusal', async () => {
    const { accepted, rejected } = await read(await run({ lines: [bad(0), bad(1)] }).answering)
    expect([accepted, rejected.length]).toEqual([0, 2])
  })
})

describe('the body', () => {
  test('is read no further than its share allows, until Kafka has taken something', async () => {
    const waiting: Posted[] = []
    const lines = Array.from({ length: 100 }, (_, i) => good(`${i}`))
    const { answering, posted } = run({
      lines,
      shareBytesMax: 10_000,
      onPost: (one) => void waiting.push(one),
    })
    for (let turns = 0; turns < 50; turns += 1) await new Promise((next) => setImmediate(next))
    expect(posted.length).toBeLessThan(20)
    const settling = setInterval(() => waiting.splice(0).forEach(({ waiter }) => waiter.resolve()))
    expect(await read(await answering)).toEqual({ accepted: 100, rejected: [] })
    clearInterval(settling)
    expect(posted).toEqual(lines.map((_, i) => `${i}`))
  })

  test('may outlive its token: what comes after is rejected', async () => {
    const revoked = (asked: number): typeof access => {
      if (asked > 3) throw refusal('invalid_token', 'The token is revoked')
      return access
    }
    const lines = ['a', 'b', 'c', 'd', 'e'].map(good)
    const { accepted, rejected } = await read(await run({ lines, access: revoked }).answering)
    expect(accepted).toBe(3)
    expect(rejected).toMatchObject([
      { index: 3, status: 401, code: 'invalid_token' },
      { index: 4, status: 401, code: 'invalid_token' },
    ])
  })

  test('that breaks off leaves what was stored, and no answer', async () => {
    async function* chunks(): AsyncGenerator<Buffer, void, void> {
      yield Buffer.from(`${good('a')}\n`)
      throw new AppError('http2.aborted', 'the client went away')
    }
    const { answering, posted, counts } = run({ chunks })
    await expect(answering).rejects.toMatchObject({ code: 'http2.aborted' })
    expect([posted, counts]).toEqual([['a'], { none: 1 }])
  })
})
