// The limits of every listener, for any handler: the number of connections, in total and from one address, the time for
// heads and bodies, and a single host per request.
import * as http2 from 'node:http2'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { pollUntil, withTimeout } from '@weir/kit'
import { afterEach, describe, expect, test } from '@jest/globals'
import { createNodeServer, listenHttp, listenNode } from '../src/index.ts'
import type { Handler, Listener, ListenOptions } from '../src/index.ts'
import { selfSigned } from '../conformance/certificate.ts'
import { callHttp1, callHttp2, callRaw, text } from './clients.ts'
import {
  connectByHand,
  frame,
  frameTypes,
  headers,
  literal,
  postHead,
} from '../conformance/frames.ts'

const deadlineMs = 60_000
const handler: Handler = async (request) => {
  await request.body(1_000)
  return { status: 200, body: 'read\n' }
}

type Options = Pick<ListenOptions, 'tls' | 'timeouts' | 'connectionsMax' | 'isProxy'>
const where = { host: '0.0.0.0', port: 0 }

const listeners: [string, (options: Options) => Promise<Listener>][] = [
  ...(['own', 'node'] as const).map((answering): [string, typeof listenAny] => [
    `listenHttp, HTTP/2 by ${answering}`,
    (options) => listenHttp({ ...where, ...options, handler, onError: () => {}, http2: answering }),
  ]),
  ['listenNode', listenAny],
]

function listenAny(options: Options): Promise<Listener> {
  const server = createNodeServer({
    onRequest: (req, res) =>
      void text(req).then(
        () => res.end('read\n'),
        () => {},
      ),
    onUpgrade: (_req, socket) => void socket.write('HTTP/1.1 101 x\r\n\r\n'),
    ...(options.timeouts === undefined ? {} : { timeouts: options.timeouts }),
  })
  return listenNode({ ...where, ...options, server })
}

describe.each(listeners)('%s', (name, listen) => {
  const isOwn = name.endsWith('own')
  let listener: Listener | undefined
  const sockets: net.Socket[] = []
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await listener?.close(0)
  })

  const start = async (options: Options): Promise<number> => {
    listener = await listen(options)
    return listener.port
  }
  const connect = (port: number, localAddress = '127.0.0.1'): net.Socket => {
    const socket = net.connect({ port, host: '127.0.0.1', localAddress }).on('error', () => {})
    sockets.push(socket)
    return socket
  }
  const closes = (socket: net.Socket): Promise<unknown> =>
    withTimeout(
      new Promise((resolve) => socket.resume().once('close', resolve)),
      deadlineMs,
      'closing',
    )
  const isServed = async (socket: net.Socket): Promise<boolean> => {
    const answered = new Promise<boolean>((resolve) => {
      socket.once('data', () => resolve(true)).once('close', () => resolve(false))
    })
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
    return withTimeout(answered, deadlineMs, 'an answer')
  }

  test('one address holds a tenth of all connections, and others get in', async () => {
    const port = await start({ connectionsMax: 20 })
    const [first, second] = [connect(port), connect(port)]
    expect([await isServed(first), await isServed(second)]).toEqual([true, true])
    // Checked immediately, because a silent connection is closed later anyway.
    expect(await isServed(connect(port))).toBe(false)
    expect(await isServed(connect(port, '127.0.0.2'))).toBe(true)
    first.destroy()
    await pollUntil(() => isServed(connect(port)), {
      deadlineMs,
      what: 'a place that is free again',
    })
  })

  test('under TLS likewise', async () => {
    const port = await start({ connectionsMax: 10, tls: await selfSigned() })
    const secure = (localAddress: string) =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, localAddress)
        tls
          .connect({ socket, rejectUnauthorized: false }, () => resolve(true))
          .on('error', () => resolve(false))
          .on('close', () => resolve(false))
      })
    expect(await secure('127.0.0.1')).toBe(true)
    expect(await secure('127.0.0.1')).toBe(false)
    expect(await secure('127.0.0.2')).toBe(true)
  })

  test('behind a proxy of ours there are many: it holds more, and all together no more than the bound', async () => {
    const port = await start({
      connectionsMax: 10,
      isProxy: (address) => address.endsWith('127.0.0.1'),
    })
    for (let nth = 0; nth < 10; nth += 1) expect(await isServed(connect(port))).toBe(true)
    expect(await isServed(connect(port))).toBe(false)
    expect(await isServed(connect(port, '127.0.0.2'))).toBe(false)
  })

  test('a head that does not end is cut off, however often a piece of it comes', async () => {
    const port = await start({ timeouts: { firstBytesTimeoutMs: 500 } })
    const socket = connect(port)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n')
    const dripping = setInterval(() => socket.write('x: y\r\n'), 50)
    await closes(socket)
    clearInterval(dripping)
  })

  test('over HTTP/2 a header block that does not end is cut off', async () => {
    const port = await start({
      timeouts: { firstBytesTimeoutMs: 500, idleTimeoutMs: 1_000, bodyTimeoutMs: 500 },
    })
    const client = connectByHand(port)
    sockets.push(client.socket)
    client.send(frame(frameTypes.headers, 0, 1, Buffer.from([0x82])))
    const dripping = setInterval(
      () => client.send(frame(frameTypes.continuation, 0, 1, Buffer.from([0x86]))),
      100,
    )
    await closes(client.socket)
    clearInterval(dripping)
  })

  test('a body that does not end is cut off', async () => {
    const port = await start({ timeouts: { firstBytesTimeoutMs: 500, bodyTimeoutMs: 1_000 } })
    const socket = connect(port)
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n')
    const dripping = setInterval(() => socket.write('x'), 50)
    await closes(socket)
    clearInterval(dripping)
    const session = http2.connect(`http://127.0.0.1:${port}`).on('error', () => {})
    const stream = session.request({ ':method': 'POST', ':path': '/' }).on('error', () => {})
    const dripping2 = setInterval(() => stream.write('x'), 50)
    await withTimeout(
      new Promise((resolve) => stream.resume().once('close', resolve)),
      deadlineMs,
      'the end',
    )
    clearInterval(dripping2)
    session.destroy()
  })

  test('idle connections end: after a request, and over HTTP/2 although PINGs go on', async () => {
    const port = await start({ timeouts: { idleTimeoutMs: 500, bodyTimeoutMs: 500 } })
    const socket = connect(port)
    expect(await isServed(socket)).toBe(true)
    await closes(socket)
    const session = http2.connect(`http://127.0.0.1:${port}`).on('error', () => {})
    expect((await callHttp2(session, { body: 'x' })).status).toBe(200)
    const pinging = setInterval(() => session.destroyed || session.ping(() => {}), 50)
    await withTimeout(
      new Promise((resolve) => session.once('close', resolve)),
      deadlineMs,
      'closing',
    )
    clearInterval(pinging)
  })

  test('two Host headers are refused with 400, also at an upgrade', async () => {
    const port = await start({})
    for (const more of ['', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'])
      expect(await callRaw(port, [`GET / HTTP/1.1\r\nHost: a\r\nhost: b\r\n${more}\r\n`])).toMatch(
        /^HTTP\/1\.1 400 /,
      )
    expect((await callHttp1(port, {})).status).toBe(200)
    const client = connectByHand(port)
    sockets.push(client.socket)
    const twice = Buffer.concat([postHead('/'), literal('host', 'a'), literal('host', 'b')])
    client.send(headers(1, twice))
    // nghttp2 resets the stream, as RFC 9113 8.1.1 requires
    const outcome = await Promise.race([
      client.answered(1).then(() => 'answered'),
      client.wasReset(1).then(() => 'reset'),
    ])
    expect(outcome).toBe(isOwn ? 'answered' : 'reset')
  })
})
