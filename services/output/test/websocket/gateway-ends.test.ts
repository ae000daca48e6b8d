// When and how the gateway closes an open WebSocket (docs/errors.md WebSocket).
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { openGateway, watched } from '../support/gateway.ts'
import { credentialOf, derivedStream } from '../support/streams.ts'

let scene: Awaited<ReturnType<typeof openGateway>>
const [mine, others] = [credentialOf(), credentialOf()]
const stream = watched({ credentials: [mine, others] })

beforeEach(async () => {
  scene = await openGateway()
  scene.putStream(stream)
})
afterEach(() => scene.close())

const open = async (of = stream) => {
  const client = await scene.connect(scene.tokenOf(of))
  expect(client.status).toBe(101)
  return client
}
const isOpen = ({ socket }: Awaited<ReturnType<typeof open>>) => socket.readyState === socket.OPEN

describe('4401 token expired or revoked', () => {
  const tokenDead = { code: 4401, reason: 'token expired or revoked' }

  test('when the token expires, within a second', async () => {
    const short = await scene.connect(scene.tokenOf(stream, 10))
    const long = await open()
    scene.pass(9_000)
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(isOpen(short)).toBe(true)
    scene.pass(1_000)
    expect(await short.closed).toEqual(tokenDead)
    expect(isOpen(long)).toBe(true)
  })

  test('at once when its credentials are revoked; clients with others stay', async () => {
    const other = await open({ ...stream, credentials: [others] })
    const client = await open()
    scene.putStream({ ...stream, credentials: [others] })
    expect(await client.closed).toEqual(tokenDead)
    expect(isOpen(other)).toBe(true)
  })
})

test('4403 at once when the stream is disabled; clients of other streams stay', async () => {
  const derived = derivedStream(stream, { credentials: [credentialOf()] })
  scene.putStream(derived)
  const [client, other] = [await open(), await scene.connect(scene.tokenOf(derived))]
  scene.putStream({ ...stream, enabled: false })
  expect(await client.closed).toEqual({ code: 4403, reason: 'stream disabled' })
  expect(isOpen(other)).toBe(true)
})

describe('4410 stream gone', () => {
  const gone = { code: 4410, reason: 'stream gone' }

  test('as soon as its deletion begins', async () => {
    const client = await open()
    scene.putStream({ ...stream, state: 'deleting' })
    expect(await client.closed).toEqual(gone)
  })

  test('when its record is no more, or another stream has its name', async () => {
    const client = await open()
    scene.removeStream(stream)
    expect(await client.closed).toEqual(gone)
    scene.putStream(stream)
    const again = await open()
    scene.putStream(watched({ credentials: stream.credentials }))
    expect(await again.closed).toEqual(gone)
  })
})

test('what changed between the check of the token and the 101 closes the socket right after it', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  scene.feeds.joinAfter(promise)
  const connecting = scene.connect(scene.tokenOf(stream))
  await pollUntil(() => scene.feeds.made[0]?.watchers.size === 1, { deadlineMs: 60_000 })
  scene.putStream({ ...stream, credentials: [] })
  scene.feeds.send('not for you')
  resolve()
  const { messages, closed } = await connecting
  expect((await closed).code).toBe(4401)
  expect(messages).toEqual([])
})

test('1013 try again later while revocations may be missing', async () => {
  const client = await open()
  scene.setFresh(false)
  scene.pass(1_000)
  expect(await client.closed).toEqual({ code: 1013, reason: 'try again later' })
})

test('1012 service restart when the gateway closes, and every feed is closed once', async () => {
  const clients = [await open(), await open()]
  await scene.gateway.close()
  for (const { closed } of clients)
    expect(await closed).toEqual({ code: 1012, reason: 'service restart' })
  await pollUntil(() => scene.counts.clients === 0, { deadlineMs: 60_000 })
  expect(scene.feeds.made.map(({ closes }) => closes)).toEqual([1])
})

test('after the close nothing more is sent, and nobody is counted any more', async () => {
  const client = await open()
  expect(scene.counts.clients).toBe(1)
  scene.feeds.send('1')
  scene.putStream({ ...stream, enabled: false })
  scene.feeds.send('2')
  await client.closed
  expect(client.messages).toEqual(['1'])
  await pollUntil(() => scene.counts.clients === 0, { deadlineMs: 60_000 })
  expect(scene.counts.sent).toBe(1)
})
