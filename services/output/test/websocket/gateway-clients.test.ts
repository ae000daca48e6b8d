// What gateway and client send while a WebSocket is open.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import type { WebSocket } from 'ws'
import { openGateway, watched } from '../support/gateway.ts'

let scene: Awaited<ReturnType<typeof openGateway>>
const stream = watched()
const soon = { deadlineMs: 60_000, everyMs: 5 }

beforeEach(async () => {
  scene = await openGateway()
  scene.putStream(stream)
})
afterEach(() => scene.close())

const open = () => scene.connect(scene.tokenOf(stream))

/** Resolves once the gateway has read everything that the client has sent so far, including its pongs. */
function isHeard(socket: WebSocket): Promise<void> {
  const answered = new Promise<void>((resolve) => socket.once('pong', () => resolve()))
  socket.ping()
  return answered
}

describe('pings', () => {
  test('come every 20 s, and a client that answers them stays', async () => {
    const { socket, messages } = await open()
    let pings = 0
    socket.on('ping', () => (pings += 1))
    for (let round = 1; round <= 3; round += 1) {
      scene.pass(20_000)
      await pollUntil(() => pings === round, soon)
      await isHeard(socket)
    }
    scene.feeds.send('still here')
    await pollUntil(() => messages.length === 1, soon)
  })

  test('a client that does not answer is cut off at the next one', async () => {
    const { socket, closed } = await scene.connect(scene.tokenOf(stream), { autoPong: false })
    let pings = 0
    socket.on('ping', () => (pings += 1))
    scene.pass(20_000)
    await pollUntil(() => pings === 1, soon)
    expect(socket.readyState).toBe(socket.OPEN)
    scene.pass(20_000)
    expect((await closed).code).toBe(1006)
  })
})

describe('what clients send', () => {
  test('is ignored: text, bytes and pings', async () => {
    const { socket, messages } = await open()
    socket.send('{"subscribe":"everything"}')
    socket.send(Buffer.alloc(4_096))
    await isHeard(socket)
    scene.feeds.send('event')
    await pollUntil(() => messages.length === 1, soon)
    expect(messages).toEqual(['event'])
  })

  test('closes the socket with 1009 when it is larger than 4 KiB; others are not disturbed', async () => {
    const [client, other] = [await open(), await open()]
    client.socket.send(Buffer.alloc(4_097))
    expect((await client.closed).code).toBe(1009)
    scene.feeds.send('event')
    await pollUntil(() => other.messages.length === 1, soon)
  })
})

describe('the feed of a topic', () => {
  test('is made for the first client and closed after the last', async () => {
    const [first, second] = [await open(), await open()]
    const [feed] = scene.feeds.made
    expect(scene.feeds.made).toHaveLength(1)
    first.socket.close()
    await pollUntil(() => feed?.watchers.size === 1, soon)
    expect(feed?.closes).toBe(0)
    second.socket.terminate()
    await pollUntil(() => feed?.closes === 1, soon)
    await open()
    expect(scene.feeds.made).toHaveLength(2)
  })

  test('loses a client that went away while it was being let in', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    scene.feeds.joinAfter(promise)
    const connecting = open().catch(() => 'gone')
    await pollUntil(() => scene.feeds.made[0]?.watchers.size === 1, soon)
    scene.connections().forEach((socket) => socket.destroy())
    resolve()
    expect(await connecting).toBe('gone')
    await pollUntil(() => scene.feeds.made[0]?.closes === 1, soon)
    expect(scene.counts.clients).toBe(0)
  })
})

test('events go out as text messages, one each, in order', async () => {
  const { messages } = await open()
  for (let index = 0; index < 500; index += 1) scene.feeds.send(`{"n":${index}}`)
  await pollUntil(() => messages.length === 500, soon)
  expect(messages).toEqual(Array.from({ length: 500 }, (_, index) => `{"n":${index}}`))
})
