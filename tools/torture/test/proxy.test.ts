// Data arrives through the proxy complete and in order, unless its mode refuses, delays or drops data.
import { connect, createServer, type Server, type Socket } from 'node:net'

import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { delay, pollUntil } from '@weir/kit'

import { startProxy } from '../src/world/proxy.ts'
import type { Proxy } from '../src/world/proxy.ts'
import { framed, framesIn } from './frames.ts'

let server: Server
let proxy: Proxy
let served: Socket[]

beforeEach(async () => {
  served = []
  server = createServer((socket) => {
    served.push(socket)
    socket.on('error', () => {})
    socket.on('data', (chunk) => socket.write(chunk))
  })
  const port = await new Promise<number>((resolve) => {
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address()
      resolve(address === null || typeof address === 'string' ? 0 : address.port)
    })
  })
  proxy = await startProxy(port)
})

afterEach(async () => {
  await proxy.close()
  for (const socket of served) socket.destroy()
  server.close()
})

function client() {
  const socket = connect({ host: '127.0.0.1', port: proxy.port })
  let heard = Buffer.alloc(0)
  let isClosed = false
  socket.on('error', () => {})
  socket.on('data', (chunk) => (heard = Buffer.concat([heard, chunk])))
  socket.on('close', () => (isClosed = true))
  return {
    say: (words: string) => void socket.write(framed(words)),
    heard: () => framesIn(heard).join(''),
    isClosed: () => isClosed,
    leave: () => socket.destroy(),
  }
}

const until = (holds: () => boolean) => pollUntil(holds, { deadlineMs: 60_000, everyMs: 5 })
/** Waits many times longer than a message takes, to see that nothing arrives. */
const aWhile = () => delay(150)

test('what is open carries everything both ways', async () => {
  const one = client()
  const long = 'x'.repeat(300_000)
  one.say(long)
  await until(() => one.heard() === long)
})

test('a cut ends what is there, and new connections work', async () => {
  const one = client()
  one.say('a')
  await until(() => one.heard() === 'a')
  proxy.cut()
  await until(one.isClosed)
  const other = client()
  other.say('b')
  await until(() => other.heard() === 'b')
})

test('refusing ends what is there and what comes', async () => {
  const one = client()
  one.say('a')
  await until(() => one.heard() === 'a')
  proxy.setMode({ kind: 'refuse' })
  await until(one.isClosed)
  await until(client().isClosed)
})

test('a delay keeps the order, also when it ends', async () => {
  const one = client()
  one.say('a')
  await until(() => one.heard() === 'a')
  proxy.setMode({ kind: 'delay', ms: 100 })
  const startMs = performance.now()
  one.say('b')
  await until(() => served[0] !== undefined && served[0].bytesRead === 2 * framed('a').length)
  proxy.setMode({ kind: 'open' })
  one.say('c')
  await until(() => one.heard() === 'abc')
  expect(performance.now() - startMs).toBeGreaterThan(95)
})

test('in a hole nobody hears anything, not even that the other side is gone', async () => {
  const [one, other] = [client(), client()]
  one.say('a')
  other.say('a')
  await until(() => one.heard() === 'a' && other.heard() === 'a')
  proxy.setMode({ kind: 'hole' })
  one.say('b')
  other.leave()
  await aWhile()
  expect(served.map(({ closed }) => closed)).toEqual([false, false])
  expect(one.heard()).toBe('a')
  expect(one.isClosed()).toBe(false)
  proxy.setMode({ kind: 'open' })
  await until(() => one.isClosed() && served.every(({ closed }) => closed))
})

test('a mute server hears what is said, and its answers are lost', async () => {
  const one = client()
  one.say('a')
  await until(() => one.heard() === 'a')
  proxy.setMode({ kind: 'mute' })
  one.say('b')
  await until(() => served[0]?.bytesRead === 2 * framed('a').length)
  await aWhile()
  expect(one.heard()).toBe('a')
  proxy.setMode({ kind: 'open' })
  await until(one.isClosed)
})

test('what was said to a proxy that holds it comes through afterwards, in order', async () => {
  const one = client()
  one.say('a')
  await until(() => one.heard() === 'a')
  proxy.setMode({ kind: 'hold' })
  one.say('b')
  await aWhile()
  expect(one.heard()).toBe('a')
  proxy.setMode({ kind: 'open' })
  one.say('c')
  await until(() => one.heard() === 'abc')
})

test('what was held of a client that has left comes through, and then the end', async () => {
  let heard = Buffer.alloc(0)
  const one = client()
  one.say('a')
  await until(() => one.heard() === 'a')
  const [target] = served
  let hasEnded = false
  target?.on('data', (chunk) => (heard = Buffer.concat([heard, chunk])))
  target?.on('end', () => (hasEnded = true))
  proxy.setMode({ kind: 'hold' })
  one.say('late')
  await aWhile()
  one.leave()
  await aWhile()
  expect([heard.length, hasEnded]).toEqual([0, false])
  proxy.setMode({ kind: 'open' })
  await until(() => hasEnded)
  expect(framesIn(heard)).toEqual(['late'])
})
