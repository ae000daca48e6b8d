import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import * as http2 from 'node:http2'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { listenNode } from '../src/index.ts'
import type { Listener } from '../src/index.ts'
import { callHttp1, callHttp2, callRaw, text } from './clients.ts'

const run = promisify(execFile)

const server = createServer((req, res) => {
  if (req.url === '/echo') {
    res.writeHead(201, {
      'x-method': req.method,
      'set-cookie': ['a=1', 'b=2'],
      'keep-alive': 'timeout=5',
    })
    req.pipe(res)
    return
  }
  if (req.url === '/break') {
    res.writeHead(200).write('half')
    setImmediate(() => res.destroy())
    return
  }
  const seen = {
    url: req.url,
    host: req.headers.host,
    one: req.headers['x-one'],
    address: req.socket.remoteAddress,
  }
  res.setHeader('content-type', 'application/json').end(JSON.stringify(seen))
})
server.on('upgrade', (req, socket, head: Buffer) => {
  const accept = createHash('sha1')
    .update(`${req.headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  socket.write(`head ${head.length}`)
})

let listener: Listener
let session: http2.ClientHttp2Session
beforeAll(async () => {
  listener = await listenNode({ host: '127.0.0.1', port: 0, server })
  session = http2.connect(`http://127.0.0.1:${listener.port}`)
})
afterAll(async () => {
  session.destroy()
  await listener.close(100)
})

const protocols = [
  ['HTTP/1.1', (call: Parameters<typeof callHttp1>[1]) => callHttp1(listener.port, call)],
  ['HTTP/2', (call: Parameters<typeof callHttp1>[1]) => callHttp2(session, call)],
] as const

describe.each(protocols)('a plain http.Server over %s', (_name, call) => {
  test('sees target, host, headers and the address of the client', async () => {
    const reply = await call({ method: 'GET', path: '/a?b=%2F', headers: { 'x-one': '1' } })
    expect(JSON.parse(reply.body)).toEqual({
      url: '/a?b=%2F',
      host: `127.0.0.1:${listener.port}`,
      one: '1',
      address: '127.0.0.1',
    })
  })

  test('streams a large body in and out', async () => {
    const body = randomBytes(3_000_000).toString('hex')
    const reply = await call({ path: '/echo', body })
    expect(reply).toMatchObject({
      status: 201,
      headers: { 'x-method': 'POST', 'set-cookie': ['a=1', 'b=2'] },
    })
    expect(reply.body === body).toBe(true)
  })

  test('an answer that breaks off is seen as broken', async () => {
    await expect(call({ method: 'GET', path: '/break' })).rejects.toThrow(
      /aborted|socket hang up|INTERNAL_ERROR/,
    )
    expect((await call({ method: 'GET', path: '/' })).status).toBe(200)
  })

  test('fifty requests at once are all answered', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, i) => call({ path: '/echo', body: `body ${i}` })),
    )
    expect(replies.map(({ body }) => body)).toEqual(replies.map((_, i) => `body ${i}`))
  })
})

test('no header of an HTTP/1.1 connection gets into HTTP/2', async () => {
  const { headers } = await callHttp2(session, { path: '/echo', body: 'x' })
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['connection']))
  expect(headers['keep-alive']).toBeUndefined()
})

test('CONNECT is refused and the connection goes on', async () => {
  const stream = session.request({ ':method': 'CONNECT', ':authority': 'example:1' })
  const answered = new Promise((resolve) => {
    stream.on('response', (received) => resolve(received[':status']))
  })
  stream.on('error', () => {})
  expect(await answered).toBe(405)
  expect((await callHttp2(session, { method: 'GET' })).status).toBe(200)
})

test('a client that resets its request harms nobody', async () => {
  const stream = session.request({ ':method': 'POST', ':path': '/echo' })
  stream.on('error', () => {})
  await new Promise((resolve) => stream.write('some', resolve))
  stream.close(http2.constants.NGHTTP2_CANCEL)
  await text(stream).catch(() => '')
  expect((await callHttp2(session, { path: '/echo', body: 'y' })).body).toBe('y')
})

test('a WebSocket upgrade over HTTP/1.1 arrives with its first bytes', async () => {
  const answer = await callRaw(listener.port, [
    'GET /ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\nearly',
  ])
  expect(answer).toMatch(/^HTTP\/1\.1 101 .*head 5$/s)
})

test('curl speaks both protocols to it', async () => {
  for (const protocol of ['--http1.1', '--http2-prior-knowledge']) {
    const { stdout } = await run('curl', [
      '-s',
      '-m',
      '3',
      protocol,
      '-d',
      'hello',
      `http://127.0.0.1:${listener.port}/echo`,
    ])
    expect(stdout).toBe('hello')
  }
})
