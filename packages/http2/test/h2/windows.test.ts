// The windows that a client gets for large bodies: large enough to send without waiting, but within the limit for held
// bytes. A client that hangs although its windows are open is woken.
import * as http2 from 'node:http2'
import { pollUntil } from '@weir/kit'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { listenHttp } from '../../src/index.ts'
import type { Listener } from '../../src/index.ts'
import { callHttp2 } from '../clients.ts'
import {
  ack,
  connectByHand,
  endHeaders,
  frame,
  frameTypes,
  headers,
  literal,
  postHead,
  streamIds,
} from '../../conformance/frames.ts'
import type { ByHand, Frame } from '../../conformance/frames.ts'

const deadlineMs = 60_000
const mebibyte = 1_048_576
const heldBytesMax = 16 * mebibyte
const windowDefault = 65_535

let listener: Listener
beforeEach(async () => {
  listener = await listenHttp({
    host: '127.0.0.1',
    port: 0,
    handler: async (request) => ({
      status: (await request.body(mebibyte)) === undefined ? 413 : 204,
    }),
    onError: () => {},
    heldBytesMax,
  })
})
afterEach(() => listener.close(0))

/** A request that announces a body of 1 MiB. */
const announced = (id: number): Buffer =>
  headers(id, Buffer.concat([postHead('/'), literal('content-length', '1048576')]), endHeaders)
const isCredit =
  (id: number) =>
  ({ type, stream }: Frame): boolean =>
    type === frameTypes.windowUpdate && stream === id
const windowOf = (client: ByHand, id: number): number =>
  client.frames
    .filter(isCredit(id))
    .reduce((sum, { payload }) => sum + payload.readUInt32BE(0), windowDefault)
const pings = (client: ByHand): number =>
  client.frames.filter(({ type, flags }) => type === frameTypes.ping && flags === 0).length

test('bodies whose length is announced get windows for all of it at once', async () => {
  const client = connectByHand(listener.port)
  const ids = streamIds(3)
  client.send(...ids.map(announced))
  for (const id of ids) await client.until(isCredit(id))
  expect(ids.map((id) => windowOf(client, id))).toEqual([mebibyte, mebibyte, mebibyte])
  expect(windowOf(client, 0)).toBeGreaterThanOrEqual(3 * mebibyte)
  client.socket.destroy()
})

test('a request with a usual body gets no window that it does not need', async () => {
  const client = connectByHand(listener.port)
  client.send(
    headers(1, Buffer.concat([postHead('/'), literal('content-length', '5')]), endHeaders),
    frame(frameTypes.data, 1, 1, Buffer.alloc(5)),
  )
  await client.answered(1)
  expect(client.frames.filter(isCredit(1))).toEqual([])
  client.socket.destroy()
})

test('the windows of all connections together stay within the bound, but for the least that each has', async () => {
  const clients = streamIds(30).map(() => connectByHand(listener.port))
  for (const client of clients) client.send(...streamIds(100).map(announced))
  for (const client of clients) await client.until(isCredit(1))
  const windows = clients.map((client) => windowOf(client, 0))
  const sum = windows.reduce((total, window) => total + window, 0)
  expect(sum).toBeLessThanOrEqual(heldBytesMax + clients.length * windowDefault)
  expect(Math.min(...windows)).toBeGreaterThanOrEqual(windowDefault)
  // All windows of one connection's streams together may grow by a third of the limit, plus one body.
  for (const client of clients) {
    const ahead = streamIds(100).map((id) => windowOf(client, id) - windowDefault)
    const total = ahead.reduce((bytes, more) => bytes + more, 0)
    expect(total).toBeLessThanOrEqual(heldBytesMax / 3 + mebibyte)
    client.socket.destroy()
  }
})

test('a client that sleeps although its windows are open is woken, once for each of its requests', async () => {
  const client = connectByHand(listener.port)
  const ids = streamIds(5)
  client.send(...ids.map(announced))
  let acknowledged = 0
  const isWoken = (): boolean => {
    if (pings(client) > acknowledged) {
      acknowledged += 1
      client.send(frame(frameTypes.ping, ack, 0, Buffer.from('continue')))
    }
    return acknowledged >= ids.length
  }
  expect(await pollUntil(isWoken, { deadlineMs, everyMs: 1 })).toBe(true)
  client.socket.destroy()
})

test('bodies of more than all may hold wait for each other, and all are answered', async () => {
  const url = `http://127.0.0.1:${listener.port}`
  // By default Node's client resets its own requests when more than 10 MB of their data wait.
  const sessions = streamIds(4).map(() => http2.connect(url, { maxSessionMemory: 1_000 }))
  const body = Buffer.alloc(mebibyte, 'x')
  const calls = sessions.flatMap((session) =>
    streamIds(20).map(() => callHttp2(session, { body, headers: { 'content-length': mebibyte } })),
  )
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([204]))
  for (const session of sessions) session.close()
})
