// The limits for slow, greedy and vanished clients.
import * as http from 'node:http'
import * as http2 from 'node:http2'
import * as net from 'node:net'
import * as tls from 'node:tls'
import { pollUntil, withTimeout } from '@weir/kit'
import { afterEach, describe, expect, test } from '@jest/globals'
import { listenHttp } from '../src/index.ts'
import type { Handler, Listener, ListenOptions } from '../src/index.ts'
import { callHttp1, callHttp2 } from './clients.ts'
import { selfSigned } from '../conformance/certificate.ts'
import { halfRequest, resetWith } from '../conformance/frames.ts'

const deadlineMs = 60_000
const started: string[] = []
const outcomes: string[] = []
const handler: Handler = async (request) => {
  started.push(request.path)
  if (request.path === '/line-break') return { status: 200, headers: { 'x-a': 'a\nb' } }
  try {
    outcomes.push(`${(await request.body(1_000))?.length ?? 'too large'}`)
  } catch (error) {
    outcomes.push(error instanceof Error && 'code' in error ? String(error.code) : 'unknown')
    throw error
  }
  return { status: 200, body: 'read\n' }
}

describe.each(['own', 'node'] as const)('HTTP/2 by %s', (http2Server) => {
  const errors: unknown[] = []
  let listener: Listener | undefined
  afterEach(async () => {
    await listener?.close(0)
    started.length = 0
    outcomes.length = 0
    errors.length = 0
  })

  async function listen(options: Partial<ListenOptions> = {}): Promise<number> {
    const onError = (error: unknown) => errors.push(error)
    listener = await listenHttp({
      host: '127.0.0.1',
      port: 0,
      handler,
      onError,
      http2: http2Server,
      ...options,
    })
    return listener.port
  }

  const closes = (socket: net.Socket): Promise<boolean> =>
    withTimeout(
      new Promise((resolve) => socket.on('error', () => {}).on('close', () => resolve(true))),
      deadlineMs,
      'closing',
    )

  test.each(['', 'PRI * HT'])('a client that stops after %j is disconnected', async (bytes) => {
    const port = await listen({ timeouts: { firstBytesTimeoutMs: 100 } })
    const socket = net.connect(port, '127.0.0.1')
    if (bytes !== '') socket.write(bytes)
    expect(await closes(socket)).toBe(true)
  })

  test('a TLS client that never shakes hands is disconnected', async () => {
    const port = await listen({ tls: await selfSigned(), timeouts: { firstBytesTimeoutMs: 2_000 } })
    expect(await closes(net.connect(port, '127.0.0.1'))).toBe(true)
    const inTheClear = net.connect(port, '127.0.0.1').end('GET / HTTP/1.1\r\n\r\n')
    expect(await closes(inTheClear)).toBe(true)
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    socket.destroy()
  })

  test('over HTTP/1.1 a body that takes too long ends the connection', async () => {
    const port = await listen({ timeouts: { bodyTimeoutMs: 100 } })
    const socket = net.connect(port, '127.0.0.1').resume()
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf')
    expect(await closes(socket)).toBe(true)
    await pollUntil(() => outcomes.length > 0, { deadlineMs })
    expect(outcomes).toEqual(['http2.aborted'])
    expect(errors).toEqual([])
  })

  test('over HTTP/2 a body that takes too long ends the stream, and the others go on', async () => {
    const port = await listen({ timeouts: { bodyTimeoutMs: 2_000 } })
    const session = http2.connect(`http://127.0.0.1:${port}`)
    const stream = session.request({ ':method': 'POST', ':path': '/' })
    stream.write('half')
    const reset = new Promise((resolve) => stream.on('error', () => {}).on('close', resolve))
    await withTimeout(reset, deadlineMs, 'the reset')
    expect(stream.rstCode).toBe(http2.constants.NGHTTP2_CANCEL)
    expect((await callHttp2(session, { body: 'x' })).status).toBe(200)
    expect(outcomes).toEqual(['http2.aborted', '1'])
    session.destroy()
  })

  test.each([0, 8])(
    'a body cut short by a reset with code %i is never taken for a whole one',
    async (code) => {
      const port = await listen()
      const socket = halfRequest(port, '/')
      await pollUntil(() => started.length > 0, { deadlineMs })
      socket.write(resetWith(code))
      await pollUntil(() => outcomes.length > 0, { deadlineMs })
      expect(outcomes).toEqual(['http2.aborted'])
      socket.destroy()
    },
  )

  test('a body cut short by the end of its connection is never taken for a whole one', async () => {
    const port = await listen()
    halfRequest(port, '/').end()
    const chunked = net.connect(port, '127.0.0.1').on('error', () => {})
    chunked.end('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')
    await pollUntil(() => outcomes.length === 2, { deadlineMs })
    expect(outcomes).toEqual(['http2.aborted', 'http2.aborted'])
    expect(errors).toEqual([])
  })

  test('an idle HTTP/2 connection is closed', async () => {
    const port = await listen({ timeouts: { idleTimeoutMs: 2_000, bodyTimeoutMs: 2_000 } })
    const session = http2.connect(`http://127.0.0.1:${port}`)
    const gone = new Promise((resolve) => session.on('close', resolve))
    expect((await callHttp2(session, { body: 'x' })).status).toBe(200)
    await withTimeout(gone, deadlineMs, 'closing')
  })

  test('a body beyond what is read and dropped ends the stream or connection', async () => {
    const port = await listen()
    const body = Buffer.alloc(9 * 1_048_576)
    const session = http2.connect(`http://127.0.0.1:${port}`)
    session.on('error', () => {})
    await callHttp2(session, { body }).catch(() => {})
    await callHttp1(port, { body }).catch(() => {})
    await pollUntil(() => outcomes.length === 2, { deadlineMs })
    expect(outcomes).toEqual(['too large', 'too large'])
    session.destroy()
    expect((await callHttp1(port, { body: 'x' }, new http.Agent())).status).toBe(200)
  })

  test('too many headers or too large ones are refused', async () => {
    const port = await listen()
    const many = Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`x-${i}`, '1']))
    expect((await callHttp1(port, { headers: many })).status).toBe(431)
    expect((await callHttp1(port, { headers: { 'x-a': 'y'.repeat(20_000) } })).status).toBe(431)
    const session = http2.connect(`http://127.0.0.1:${port}`)
    expect((await callHttp2(session, { headers: { 'x-a': 'y'.repeat(20_000) } })).status).toBe(431)
    const refusal = await callHttp2(session, { headers: many }).then(
      ({ status }) => String(status),
      String,
    )
    expect(refusal).toContain(http2Server === 'own' ? '431' : 'ENHANCE_YOUR_CALM')
    expect((await callHttp2(session, { body: 'x' })).status).toBe(200)
    session.destroy()
  })

  test('an answer whose head cannot be sent becomes a bare 500, and is reported', async () => {
    const port = await listen()
    const { status, body } = await callHttp1(port, { path: '/line-break' })
    expect([status, body]).toEqual([500, ''])
    expect(errors).toHaveLength(1)
  })

  test('Expect: 100-continue is answered before the body, in both protocols', async () => {
    const port = await listen()
    const session = http2.connect(`http://127.0.0.1:${port}`)
    const headers = { expect: '100-continue' }
    const stream = session.request({ ':method': 'POST', ':path': '/', ...headers })
    stream.resume().on('continue', () => stream.end('x'))
    const request = http.request({ port, host: '127.0.0.1', method: 'POST', headers })
    request.on('continue', () => request.end('x')).flushHeaders()
    const answers = Promise.all([
      new Promise((resolve) => stream.on('response', (received) => resolve(received[':status']))),
      new Promise((resolve) =>
        request.on('response', (response) => resolve(response.resume().statusCode)),
      ),
    ])
    expect(await withTimeout(answers, deadlineMs, 'the answers')).toEqual([200, 200])
    session.destroy()
  })

  test('HEAD, OPTIONS * and odd targets are the handler’s affair in both protocols', async () => {
    const port = await listen()
    const session = http2.connect(`http://127.0.0.1:${port}`)
    for (const call of [
      (method: string, path: string) => callHttp1(port, { method, path }),
      (method: string, path: string) => callHttp2(session, { method, path }),
    ]) {
      const head = await call('HEAD', '/')
      expect([head.status, head.body, head.headers['content-length']]).toEqual([200, '', '5'])
      for (const path of ['*', '/%', '//?a?b', '/%00%ff'])
        expect((await call('OPTIONS', path)).status).toBe(200)
    }
    session.destroy()
  })
})
