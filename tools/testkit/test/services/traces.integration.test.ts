// An OTLP receiver gets traces from a client's traceparent to the derived record. Traces contain no content of events,
// and no service depends on them.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '@weir/devstack'
import { pollUntil, withTimeout } from '@weir/kit'
import { measured } from '../../src/scale.ts'
import {
  asObject,
  connectProducer,
  counterOf,
  signUp,
  createTopicReader,
  exampleEvent,
  startWorld,
} from '../../src/index.ts'
import type { Account, Producer, TestStream, TopicReader, World } from '../../src/index.ts'
import { startReceiver } from './otlp-receiver.ts'
import type { ReceivedSpan, Receiver } from './otlp-receiver.ts'

let receiver: Receiver
let world: World
let account: Account
let input: TestStream
let derived: TestStream
let token: string
let producer: Producer
let topics: TopicReader

beforeAll(async () => {
  receiver = await startReceiver()
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url }
  world = await startWorld(env)
  account = await signUp(world.auth.url)
  await account.contract('clickstream')
  input = await account.input('in')
  derived = await account.output('in', 'out', { consentLevels: [1] })
  token = await account.token(input)
  producer = await connectProducer(world.ingest.url)
  topics = createTopicReader(world.env)
})

afterAll(async () => {
  producer?.close()
  await topics?.close()
  await world?.stop()
  receiver?.close()
})

const newSpan = (flags = '01') => {
  const traceId = randomBytes(16).toString('hex')
  const spanId = randomBytes(8).toString('hex')
  return { traceId, spanId, traceparent: `00-${traceId}-${spanId}-${flags}` }
}

const send = async (headers: Record<string, string>, more: object = {}, path = '/event') => {
  const event = `${JSON.stringify({ ...(await exampleEvent('clickstream')), ...more })}\n`
  const answer = await producer.send(event, { token, schemaId: 'clickstream', path, headers })
  return answer.status
}

const headersIn = async (topic: string, count: number) =>
  (await topics.readUntil(topic, count)).map(({ headers }) => headers['traceparent']?.toString())

const named = (spans: readonly ReceivedSpan[], start: string): ReceivedSpan => {
  const [span, ...more] = spans.filter(({ name }) => name.startsWith(start))
  if (span === undefined || more.length > 0) throw new Error(`not one span that begins ${start}`)
  return span
}

test('an event’s trace goes from the client’s span to the derived record’s', async () => {
  const client = newSpan()
  expect(await send({ traceparent: client.traceparent })).toBe(204)

  const spans = await receiver.untilSpans(client.traceId, 3)
  const received = named(spans, 'POST /event')
  const sent = named(spans, 'send ')
  const derivation = named(spans, 'derive ')
  const chain = [received, sent, derivation].map(({ parentSpanId }) => parentSpanId)
  expect(chain).toEqual([client.spanId, received.spanId, sent.spanId])
  expect([received, sent, derivation].map(({ kind }) => kind)).toEqual([2, 4, 5])
  expect(received).toMatchObject({ service: 'weir-ingest', name: 'POST /event' })
  expect(sent).toMatchObject({ service: 'weir-ingest', name: `send ${input.topic}` })
  expect(derivation).toMatchObject({ service: 'weir-output', name: `derive ${derived.topic}` })
  expect(received.attributes).toEqual({
    'http.request.method': 'POST',
    'http.route': '/event',
    'http.response.status_code': 204,
    'weir.stream': input.topic,
    'weir.contract': 'clickstream',
  })

  const inKafka = (name: string) => `${world.env['KAFKA_PREFIX']}${name}`
  expect(sent.attributes['messaging.destination.name']).toBe(inKafka(input.topic))
  expect(derivation.attributes).toMatchObject({
    'messaging.destination.name': inKafka(input.topic),
    'messaging.consumer.group.name': inKafka(`weir.${derived.topic}`),
  })

  const headerOf = ({ spanId }: ReceivedSpan) => `00-${client.traceId}-${spanId}-01`
  expect(await headersIn(input.topic, 1)).toEqual([headerOf(sent)])
  expect(await headersIn(derived.topic, 1)).toEqual([headerOf(derivation)])
})

test('what its client doesn’t record is not traced, nor what has no trace', async () => {
  const silent = newSpan('00')
  const malformed = newSpan()
  expect(await send({ traceparent: silent.traceparent })).toBe(204)
  expect(await send({ traceparent: malformed.traceparent.toUpperCase() })).toBe(204)
  expect(await send({})).toBe(204)
  const told = newSpan()
  expect(await send({ traceparent: told.traceparent })).toBe(204)
  await receiver.untilSpans(told.traceId, 3)
  expect(receiver.spans(silent.traceId)).toEqual([])
  expect(receiver.spans(malformed.traceId)).toEqual([])
  const isTraced = (header: string | undefined) => header !== undefined
  expect((await headersIn(input.topic, 5)).filter(isTraced)).toHaveLength(2)
  expect((await headersIn(derived.topic, 5)).filter(isTraced)).toHaveLength(2)
})

test('each event of a request with many is a span under the request’s', async () => {
  const client = newSpan()
  const { traceparent } = client
  const headers = { traceparent, 'content-type': 'application/x-ndjson' }
  const event = JSON.stringify(await exampleEvent('clickstream'))
  const to = { token, schemaId: 'clickstream', path: '/events', headers }
  expect((await producer.send(`${event}\n${event}\n`, to)).status).toBe(200)
  const spans = await receiver.untilSpans(client.traceId, 5)
  const request = named(spans, 'POST /events')
  const sent = spans.filter(({ name }) => name.startsWith('send '))
  expect(sent.map(({ parentSpanId }) => parentSpanId)).toEqual([request.spanId, request.spanId])
  const sources = spans.filter(({ name }) => name.startsWith('derive '))
  expect(sources.map(({ parentSpanId }) => parentSpanId).toSorted()).toEqual(
    sent.map(({ spanId }) => spanId).toSorted(),
  )
})

test('a refusal is told by its code, and as an error only where the fault is ours', async () => {
  const client = newSpan()
  expect(await send({ traceparent: client.traceparent }, { url: 'not what the rule wants' })).toBe(
    400,
  )
  const [refused] = await receiver.untilSpans(client.traceId, 1)
  expect(refused?.attributes).toMatchObject({
    'http.response.status_code': 400,
    'svc.error': 'validation_failed',
  })
  expect(refused?.isError).toBe(false)
})

test('nothing of an event is in a span, nor what stands for its person', async () => {
  const event = await exampleEvent('clickstream')
  const records = await topics.read(input.topic)
  const keys = records.flatMap(({ key, headers }) => [
    key?.toString() ?? 'no key',
    headers['svc-key-link']?.toString('hex') ?? 'no link',
  ])
  const values = [
    event['producerSessionId'],
    event['url'],
    event['userAgent'],
    asObject(event['customer'])['id'],
    'not what the rule wants',
    token,
    input.clientId,
    ...keys,
  ].map(String)
  const text = receiver.text()
  expect(text).toContain(input.topic)
  expect(values.filter((value) => text.includes(value))).toEqual([])
  expect(receiver.problems()).toEqual([])
})

test('with nobody there to take spans, events are taken as ever, spans are lost and counted, and the end is no later', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: nobody, OTEL_TRACES_SAMPLER_ARG: '1' }
  const ingest = await world.replica('ingest', { ...env, TRACE_SPANS_PER_SECOND_MAX: '100000' })
  const other = await connectProducer(ingest.url)
  const event = JSON.stringify(await exampleEvent('clickstream'))
  const to = { token, schemaId: 'clickstream' }
  const statuses = new Set<number>()
  for (let round = 0; round < 20; round += 1) {
    const answers = Array.from({ length: 100 }, () => other.send(event, to))
    for (const { status } of await Promise.all(answers)) statuses.add(status)
  }
  expect([...statuses]).toEqual([204])
  const spans = (outcome: string) => counterOf(ingest, 'svc_ingest_trace_spans_total', { outcome })
  expect(await spans('begun')).toBe(4_000)
  const areLost = async () => (await spans('lost')) > 1_000
  await pollUntil(areLost, { deadlineMs: 60_000, what: 'lost spans' })
  other.close()
  const startedMs = performance.now()
  process.kill(ingest.pid, 'SIGTERM')
  expect(await withTimeout(ingest.exited, 60_000, 'ending')).toBe(0)
  expect(performance.now() - startedMs).toBeLessThan(measured(5_000))
})
