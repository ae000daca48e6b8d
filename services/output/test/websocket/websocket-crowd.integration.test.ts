// A thousand WebSockets on one stream, and clients that stop reading (docs/wire-format.md WebSocket). Every client gets
// every event or is closed with 1013. A client that doesn't read costs only its own buffer.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { delay, pollUntil } from '@weir/kit'
import { connectProducer, counterOf, exampleEvent, scale } from '@weir/testkit'
import type { Producer, TestStream } from '@weir/testkit'
import { WebSocket } from 'ws'
import { openSceneApart } from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'

let scene: ApartScene
let producer: Producer
let event: Record<string, unknown>

beforeAll(async () => {
  // All clients connect from one address.
  scene = await openSceneApart({ CONNECTIONS_MAX: '20000', WEBSOCKETS_PER_CREDENTIAL_MAX: '2000' })
  await scene.account.contract('clickstream')
  producer = await connectProducer(scene.world.ingest.url)
  event = await exampleEvent('clickstream')
})

afterAll(async () => {
  producer.close()
  await scene.close()
})

const urlBefore = 'https://shop.example.com/products/'

type Numbered = { from?: number; count: number; rate: number; filler?: string }

/** Sends numbered events at a rate, and resolves when all are stored. */
async function sendNumbered(
  stream: TestStream,
  { from = 0, count, rate, filler = '' }: Numbered,
): Promise<void> {
  const token = await scene.tokenOf(stream)
  const send = async (number: number): Promise<void> => {
    const own = {
      ...event,
      url: `${urlBefore}${number}/`,
      referrer: `https://example.com/${filler}`,
    }
    const { status, body } = await producer.send(own, { token, schemaId: 'clickstream' })
    if (status !== 204) throw new Error(`event ${number}: ${status} ${body}`)
  }
  const beganAt = performance.now()
  const sending: Promise<void>[] = []
  for (let number = 0; number < count; number += 1) {
    const early = (number / rate) * 1_000 - (performance.now() - beganAt)
    if (early > 0) await delay(early)
    sending.push(send(from + number))
  }
  await Promise.all(sending)
}

type Client = {
  socket: WebSocket
  /** How often the client has received each number. */
  seen: Uint8Array
  closedWith: number | undefined
}

/** Resolves when the WebSocket is open. */
async function connect(stream: TestStream, numbers: number): Promise<Client> {
  const url = scene.world.output.url.replace(/^http/, 'ws')
  const headers = { authorization: `Bearer ${await scene.tokenOf(stream)}` }
  const socket = new WebSocket(`${url}/ws`, { headers })
  const client: Client = { socket, seen: new Uint8Array(numbers), closedWith: undefined }
  socket.on('message', (data: Buffer) => {
    const at = data.indexOf(urlBefore) + urlBefore.length
    const number = Number.parseInt(data.toString('latin1', at, at + 8), 10)
    client.seen[number] = (client.seen[number] ?? 0) + 1
  })
  socket.on('close', (code) => (client.closedWith = code))
  await new Promise((resolve, reject) => socket.on('open', resolve).on('error', reject))
  return client
}

const hasAll = ({ seen }: Client): boolean => seen.every((times) => times === 1)
const countTooSlow = () => counterOf(scene.world.output, 'svc_output_ws_too_slow_total')
const residentMb = async () =>
  (await counterOf(scene.world.output, 'process_resident_memory_bytes')) / 1_048_576

const crowd = scale(1_000, 300)

test('each of a thousand clients gets every event once, or is closed with 1013', async () => {
  const stream = await scene.account.input('crowd')
  const events = { count: scale(600, 40), rate: scale(300, 40) }
  // the first client causes output to read the topic
  const clients = [await connect(stream, events.count)]
  while (clients.length < crowd)
    clients.push(
      ...(await Promise.all(Array.from({ length: 50 }, () => connect(stream, events.count)))).slice(
        0,
        crowd - clients.length,
      ),
    )
  await sendNumbered(stream, events)
  const isDone = (client: Client) => hasAll(client) || client.closedWith !== undefined
  const deadline = { deadlineMs: 60_000, what: 'all events at all clients' }
  await pollUntil(() => clients.every(isDone), deadline)
  const [complete, others] = [clients.filter(hasAll), clients.filter((each) => !hasAll(each))]
  expect(others.map(({ closedWith, seen }) => [closedWith, Math.max(...seen)])).toEqual(
    others.map(() => [1013, 1]),
  )
  expect(complete.length).toBeGreaterThan(0)
  for (const { socket } of clients) socket.terminate()
}, 180_000)

test('the first client of a topic sees what is sent from the moment it is connected', async () => {
  for (let round = 0; round < scale(5, 2); round += 1) {
    const stream = await scene.account.input(`first-${round}`)
    const client = await connect(stream, 20)
    await sendNumbered(stream, { count: 20, rate: 1_000 })
    await pollUntil(() => hasAll(client), { deadlineMs: 60_000, what: 'all events' })
    client.socket.terminate()
  }
}, 180_000)

test('clients that stop reading are closed with 1013 and hold up nobody, and output keeps little of what they miss', async () => {
  const stream = await scene.account.input('stalled')
  const events = { count: 400, filler: 'x'.repeat(50_000) }
  const [quick, stalled] = await Promise.all([
    Promise.all(Array.from({ length: 5 }, () => connect(stream, events.count))),
    Promise.all(Array.from({ length: 20 }, () => connect(stream, events.count))),
  ])
  for (const { socket } of stalled) socket.pause()
  const before = await residentMb()
  // Each batch is small enough to wait completely, and is sent when the fast clients have received the previous one. So
  // fast clients never count as slow, even on a slow machine.
  const atOnce = 10
  for (let from = 0; from < events.count; from += atOnce) {
    await sendNumbered(stream, { ...events, from, count: atOnce, rate: Infinity })
    const have = () => quick.every(({ seen }) => seen.subarray(0, from + atOnce).every(Boolean))
    await pollUntil(have, { deadlineMs: 60_000, everyMs: 5, what: 'all events so far' })
  }
  expect(quick.every(hasAll)).toBe(true)
  await pollUntil(async () => (await countTooSlow()) === stalled.length, {
    deadlineMs: 60_000,
    what: 'the slow clients to be given up',
  })
  expect(quick.map(({ closedWith }) => closedWith)).toEqual(quick.map(() => undefined))
  // 20 MB arrived for each of these 20 clients, and 1 MiB may have waited for each. The rest is memory that V8 has not
  // collected yet.
  expect((await residentMb()) - before).toBeLessThan(scale(300, Infinity))
  for (const { socket } of stalled) socket.resume()
  const isClosed = ({ closedWith }: Client) => closedWith !== undefined
  await pollUntil(() => stalled.every(isClosed), { deadlineMs: 60_000, what: 'close frames' })
  expect(stalled.map(({ closedWith }) => closedWith)).toEqual(stalled.map(() => 1013))
  // No stalled client got all events, so no buffer contained events that were sent after the client was closed.
  for (const { seen } of stalled) {
    expect(Math.max(...seen)).toBe(1)
    expect(seen.filter(Boolean).length).toBeLessThan(events.count)
  }
}, 180_000)
