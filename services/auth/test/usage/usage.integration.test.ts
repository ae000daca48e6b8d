// Usage, requested over the API, and its removal with a deleted stream. The tests write the records.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createBatchProducer, createKafka } from '@weir/kafka'
import type { BatchProducer } from '@weir/kafka'
import { createLog, pollUntil } from '@weir/kit'
import {
  countKey,
  countsTopic,
  minuteOf,
  monthCountValue,
  monthOf,
  usageKey,
  usagePartitionOf,
  usageTopic,
  usageValue,
} from '@weir/control-state'
import { createTopicReader } from '@weir/testkit'
import type { TopicReader } from '@weir/testkit'
import {
  kafkaBrokers,
  makeAccount,
  problem,
  problemsOf,
  send,
  joinAuth,
  textOf,
} from '../support.ts'
import type { Account, Reply, SharedAuth } from '../support.ts'

let auth: SharedAuth
let account: Account
let producer: BatchProducer
let reader: TopicReader

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
  const log = createLog('auth-test', 'silent')
  const kafka = createKafka({ brokers: kafkaBrokers.split(','), clientId: 'auth-test', log })
  producer = createBatchProducer(kafka, { produceTimeoutMs: 10_000, inFlightBytesMax: 1_000_000 })
  reader = createTopicReader()
})
afterAll(async () => {
  await producer?.close()
  await reader?.close()
  await auth?.stop()
})

const minuteMs = 60_000

async function makeStream(name: string): Promise<string> {
  expect((await account.post('/v2/streams', { name })).status).toBe(201)
  return textOf((await account.get(`/v2/streams/${name}`)).json, 'streamId')
}

type Counted = { replica?: string; atMs: number; events: number; refused?: Record<string, number> }

/** Writes the record that a replica of ingest would have written in that minute. */
async function count(streamId: string, counted: Counted): Promise<void> {
  const { replica = 'r', atMs, events, refused = {} } = counted
  await producer.send(usageTopic, usagePartitionOf(streamId), {
    key: usageKey(streamId, replica, minuteOf(atMs)),
    value: usageValue({ events, bytes: events * 100, refused }),
    headers: {},
    timestampMs: atMs,
  })
}

const eventsOf = ({ json }: Reply): unknown[] =>
  Array.isArray(json['usage'])
    ? json['usage'].map((piece: { events: unknown }) => piece.events)
    : []

const textsOf = async (topic: string, streamId: string): Promise<Map<string, string | null>> => {
  const last = new Map<string, string | null>()
  for (const { key, value } of await reader.read(topic))
    if (String(key).startsWith(`${streamId}/`)) last.set(String(key), value && String(value))
  return last
}

describe('GET /v2/streams/{stream}/usage', () => {
  test('sums up replicas and minutes; a minute that is told again counts once', async () => {
    const streamId = await makeStream('sums')
    const nowMs = Math.floor(Date.now() / minuteMs) * minuteMs
    for (const events of [1, 2, 3]) await count(streamId, { atMs: nowMs, events })
    await count(streamId, { atMs: nowMs, replica: 'r2', events: 10, refused: { undecodable: 2 } })

    const from = new Date(nowMs).toISOString()
    const reply = await account.get(`/v2/streams/sums/usage?by=1m&from=${from}`)
    expect(reply.status).toBe(200)
    const sum = { events: 13, bytes: 1_300, refused: { undecodable: 2 } }
    expect(reply.json).toMatchObject({ stream: 'sums', by: '1m', from, total: sum })
    expect(eventsOf(reply)[0]).toBe(13)

    const day = await account.get('/v1/streams/sums/usage?by=1d')
    expect(day.json).toMatchObject({ by: '1d', total: sum })
    expect(eventsOf(day)).toContain(13)
    expect(eventsOf(day)).toHaveLength(30)
  })

  test('is CSV for who asks for it, by format or by Accept', async () => {
    const streamId = await makeStream('csv')
    const atMs = Date.now()
    await count(streamId, { atMs, events: 4, refused: { a: 1, b: 2 } })
    const path = '/v2/streams/csv/usage?by=1d'
    const byFormat = await account.get(`${path}&format=csv`)
    expect(byFormat.status).toBe(200)
    expect(byFormat.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present')
    const lines = byFormat.text.split('\n')
    expect([lines[0], lines.at(-1)]).toEqual(['from,events,bytes,refused', ''])
    const today = new Date(atMs).toISOString().slice(0, 10)
    expect(lines).toContain(`${today}T00:00:00.000Z,4,400,3`)
    const asking = (accept: string, query = ''): Promise<Reply> =>
      send(`${auth.url}${path}${query}`, { bearer: account.apiKey, headers: { accept } })
    expect((await asking('text/csv')).text).toBe(byFormat.text)
    expect((await asking('text/csv;q=0.5, application/json')).json).toMatchObject({ by: '1d' })
    expect((await asking('text/csv', '&format=json')).json).toMatchObject({ by: '1d' })
  })

  test('nothing is zeros, of a stream that nobody has sent to', async () => {
    await makeStream('quiet')
    const reply = await account.get('/v2/streams/quiet/usage')
    expect(eventsOf(reply)).toEqual(Array(24).fill(0))
    expect(reply.json).toMatchObject({ by: '1h', total: { events: 0, bytes: 0, refused: {} } })
  })

  test('refuses a question that makes no sense with all its problems, and what is not there', async () => {
    await makeStream('asked')
    const wrong = await account.get('/v2/streams/asked/usage?by=2h&from=then')
    expect(wrong.json).toMatchObject(problem(422, 'invalid'))
    expect(problemsOf(wrong)).toEqual([
      'by must be one of 1m, 15m, 1h, 1d',
      'from must be a date or a time such as 2026-11-21 or 2026-11-21T10:00:00Z',
    ])
    const form = await account.get('/v2/streams/asked/usage?format=xml')
    expect(problemsOf(form)).toEqual(['format must be json or csv'])
    expect((await account.get('/v2/streams/nobody/usage')).status).toBe(404)
    expect((await send(`${auth.url}/v2/streams/asked/usage`)).status).toBe(401)
    const stranger = await makeAccount(auth)
    expect((await stranger.get('/v2/streams/asked/usage')).status).toBe(404)
  })
})

describe('a stream that is deleted', () => {
  test('takes everything with it that was counted of it, and nothing of others', async () => {
    const streamId = await makeStream('gone')
    const otherId = await makeStream('stays')
    for (const id of [streamId, otherId]) {
      await count(id, { atMs: Date.now(), events: 1 })
      await producer.send(countsTopic, 0, {
        key: countKey(id, randomUUID()),
        value: monthCountValue({ month: monthOf(Date.now()), events: 1 }),
        headers: {},
        timestampMs: Date.now(),
      })
    }
    expect((await account.delete('/v2/streams/gone')).status).toBe(200)

    const left = async (id: string): Promise<number> => {
      const tables = [await textsOf(usageTopic, id), await textsOf(countsTopic, id)]
      return tables.flatMap((table) => [...table.values()]).filter((value) => value !== null).length
    }
    const isForgotten = async (): Promise<boolean> => (await left(streamId)) === 0
    await pollUntil(isForgotten, { deadlineMs: 60_000, everyMs: 500, what: 'forgetting' })
    expect(await left(otherId)).toBe(2)
  })
})
