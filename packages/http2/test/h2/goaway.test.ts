// How a connection ends with GOAWAY: no request is lost, and each side knows which requests were accepted.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { listenHttp } from '../../src/index.ts'
import type { HttpResponse, Listener } from '../../src/index.ts'
import { ack, codes, connectByHand, frame, frameTypes, post } from '../../conformance/frames.ts'
import type { ByHand, Frame } from '../../conformance/frames.ts'

const goAway = frame(frameTypes.goAway, 0, 0, Buffer.alloc(8))
let waiting: ((response: HttpResponse) => void)[] = []
let listener: Listener
let client: ByHand

beforeEach(async () => {
  waiting = []
  const handler = () => new Promise<HttpResponse>((resolve) => waiting.push(resolve))
  listener = await listenHttp({ host: '127.0.0.1', port: 0, handler, onError: () => {} })
  client = connectByHand(listener.port)
})
afterEach(() => listener.close(0))

const isPing = ({ type }: Frame): boolean => type === frameTypes.ping
/** Returns the last stream of each GOAWAY so far. */
const lastStreams = (): number[] =>
  client.frames
    .filter(({ type }) => type === frameTypes.goAway)
    .map(({ payload }) => payload.readUInt32BE(0))
const letGo = (): void => waiting.splice(0).forEach((answer) => answer({ status: 204 }))
/** Resolves when everything that was sent before is handled. */
async function settled(): Promise<void> {
  const mark = Buffer.from('settled!')
  client.send(frame(frameTypes.ping, 0, 0, mark))
  await client.until(({ type, payload }) => type === frameTypes.ping && payload.equals(mark))
}

test('a port that closes takes what was sent before its notice arrived, and refuses what comes after', async () => {
  client.send(post(1, '/'))
  await settled()
  const closed = listener.close(10_000)
  const notice = await client.until(({ type, flags }) => type === frameTypes.ping && flags === 0)
  expect(lastStreams()).toEqual([0x7fff_ffff])
  client.send(post(3, '/'), frame(frameTypes.ping, ack, 0, notice.payload), post(5, '/'))
  expect(await client.wasReset(5)).toBe(codes.refusedStream)
  expect(lastStreams()).toEqual([0x7fff_ffff, 3])
  letGo()
  await Promise.all([client.answered(1), client.answered(3)])
  await closed
  expect(client.frames.filter(isPing)).not.toHaveLength(0)
})

test('a client that says goodbye gets its answers, and then the connection closes', async () => {
  client.send(post(1, '/'), goAway)
  await settled()
  letGo()
  await client.answered(1)
  expect(await client.closed()).toBe(true)
  expect(lastStreams()).toEqual([1])
})

test('a client that says goodbye with nothing under way is let go at once', async () => {
  client.send(goAway)
  expect(await client.closed()).toBe(true)
})
