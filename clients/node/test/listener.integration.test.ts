// Tests what the listener shows, and what it does when the connection ends, with running services.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '@weir/devstack'
import { pollUntil, withTimeout } from '@weir/kit'
import { signUp, exampleContract, exampleEvent, expectStatus, startWorld } from '@weir/testkit'
import type { Account, TestStream, World } from '@weir/testkit'
import { createListener, createProducer } from '../src/index.ts'
import type { Gap, Listener, ListenerOptions, Producer } from '../src/index.ts'

const deadlineMs = 60_000

let world: World
let account: Account
let input: TestStream
let output: TestStream
let event: Record<string, unknown>
let producer: Producer
const listeners: Listener[] = []

beforeAll(async () => {
  world = await startWorld({ OUTPUT_PORT: String(await freePort()) })
  account = await signUp(world.auth.url)
  await account.contract('clickstream')
  input = await account.input('in', { partitions: 1 })
  output = await account.output('in', 'out', { consentLevels: [0] })
  event = { ...(await exampleEvent('clickstream')), svcMeta: { consentLevels: [0] } }
  producer = createProducer({
    ...optionsOf(input),
    ingestUrl: world.ingest.url,
    contract: { id: 'clickstream', schema: (await exampleContract('clickstream'))['schema'] },
  })
})

afterAll(async () => {
  for (const listener of listeners) listener.close()
  await producer?.close({ deadlineMs: 1_000 })
  await world?.stop()
})

const optionsOf = ({ clientId, clientSecret }: TestStream) => ({
  authUrl: world.auth.url,
  outputUrl: world.output.url,
  billingId: account.billingId,
  clientId,
  clientSecret,
})

type Click = { readonly url: string; readonly customer: { readonly id: string } }

async function listenTo(stream: TestStream, more: Partial<ListenerOptions> = {}) {
  const listener = createListener<Click>({ ...optionsOf(stream), ...more })
  listeners.push(listener)
  const events = listener[Symbol.asyncIterator]()
  await withTimeout(listener.ready(), deadlineMs, 'the listener being ready')
  return { listener, next: () => withTimeout(events.next(), deadlineMs, 'the next event') }
}

const url = (name: string): string => `https://shop.example.com/${name}`
const send = (name: string): Promise<void> => producer.send({ ...event, url: url(name) })

test('it shows what is stored from the moment it is ready, in order, sealed and opened as the stream is', async () => {
  const [sealed, opened] = [await listenTo(input), await listenTo(output)]
  const sent = Array.from({ length: 50 }, (_, index) => url(`in-order/${index}`))
  for (const each of sent) await producer.send({ ...event, url: each })
  for (const { next } of [sealed, opened])
    for (const each of sent) expect((await next()).value).toMatchObject({ url: each })
  await send('last')
  expect((await opened.next()).value.customer.id).toBe('customer-00042')
  expect((await sealed.next()).value.customer.id).toMatch(/^[A-Za-z0-9+/=]{20,}$/)
})

test('a reader that is slower than the stream gets all of it, as long as output bears with it', async () => {
  const { next } = await listenTo(input, { bufferEventsMax: 10 })
  const sent = Array.from({ length: 200 }, (_, index) => url(`slow/${index}`))
  for (const each of sent) await producer.send({ ...event, url: each })
  for (const each of sent) expect((await next()).value).toMatchObject({ url: each })
})

test('when output is started again it connects by itself, and tells that something may be missing', async () => {
  const gaps: Gap[] = []
  const { next } = await listenTo(output, { onGap: (gap) => gaps.push(gap) })
  await world.output.kill()
  await send('missed')
  await world.replica('output')
  await pollUntil(() => gaps.length === 1, { deadlineMs, what: 'the listener being back' })
  expect(gaps[0]?.reason).not.toBe('')
  expect(gaps[0]?.ms).toBeGreaterThan(0)
  await send('back')
  const seen: string[] = []
  while (!seen.includes(url('back'))) seen.push((await next()).value.url)
  expect(seen).toContain(url('back'))
})

test('a loop over it ends when it is closed', async () => {
  const { listener } = await listenTo(input)
  const looping = (async () => {
    let count = 0
    for await (const { url: each } of listener) {
      count += each === url('loop') ? 1 : 0
      if (count === 2) listener.close()
    }
    return count
  })()
  await Promise.all([send('loop'), send('loop')])
  expect(await withTimeout(looping, deadlineMs, 'the loop ending')).toBe(2)
})

test('wrong credentials, and a stream that is disabled meanwhile, end it with the reason', async () => {
  const wrong = createListener({ ...optionsOf(input), clientSecret: 'wrong' })
  await expect(wrong.ready()).rejects.toMatchObject({ code: 'invalid_credentials' })
  const { next } = await listenTo(output)
  const path = '/v2/streams/in/outputs/out'
  expectStatus(await account.call('PATCH', path, { enabled: false }), 200)
  const untilItEnds = async (): Promise<never> => {
    for (;;) await next() // earlier events may still arrive
  }
  await expect(untilItEnds()).rejects.toMatchObject({
    name: 'RejectedError',
    code: 'stream_disabled',
  })
})
