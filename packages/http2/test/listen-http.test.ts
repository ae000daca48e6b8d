import { execFile } from 'node:child_process'
import * as http from 'node:http'
import * as http2 from 'node:http2'
import * as tls from 'node:tls'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { listenHttp } from '../src/index.ts'
import type { Handler, Listener } from '../src/index.ts'
import { callHttp1, callHttp2, callRaw } from './clients.ts'
import { selfSigned } from '../conformance/certificate.ts'

const run = promisify(execFile)
/** Returns curl's output for a request, in this format. */
const curl = async (format: string, ...args: string[]): Promise<string> =>
  (await run('curl', ['-sk', '-m', '3', '-o', '/dev/null', '-w', format, ...args])).stdout
const bodyMax = 1_048_576
const errors: unknown[] = []
let releaseSlow: () => void = () => {}
let slow = Promise.resolve()

const handler: Handler = async (request) => {
  switch (request.path) {
    case '/echo': {
      const body = await request.body(bodyMax)
      if (body === undefined) return { status: 413, body: 'too large\n' }
      const seen = {
        length: body.length,
        tail: body.subarray(-20).toString('utf8'),
        query: request.query,
      }
      return {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(seen),
      }
    }
    case '/headers':
      return {
        status: 200,
        body: `${request.header('x-one')} ${request.headerCount('x-one')} ${request.headerCount('authorization')}`,
      }
    case '/none':
      return { status: 204 }
    case '/early':
      return { status: 401, headers: { 'www-authenticate': 'Bearer' }, body: 'no\n' }
    case '/throw':
      throw new Error('a secret reason')
    case '/slow':
      await slow
      return { status: 200, body: 'done' }
    default:
      return { status: 404 }
  }
}

describe.each(['own', 'node'] as const)('HTTP/2 by %s', (http2Server) => {
  const listen = (more: Partial<Parameters<typeof listenHttp>[0]> = {}): Promise<Listener> =>
    listenHttp({
      host: '127.0.0.1',
      port: 0,
      handler,
      onError: () => {},
      http2: http2Server,
      ...more,
    })

  let listener: Listener
  let session: http2.ClientHttp2Session
  beforeAll(async () => {
    slow = new Promise((resolve) => (releaseSlow = resolve))
    listener = await listen({ onError: (error) => errors.push(error) })
  })
  beforeEach(() => {
    session = http2.connect(`http://127.0.0.1:${listener.port}`)
    session.on('error', () => {})
  })
  afterEach(() => session.destroy())
  afterAll(async () => {
    releaseSlow()
    await listener.close(100)
  })

  const protocols = [
    ['HTTP/1.1', (call: Parameters<typeof callHttp1>[1]) => callHttp1(listener.port, call)],
    [
      'HTTP/2 with prior knowledge',
      (call: Parameters<typeof callHttp1>[1]) => callHttp2(session, call),
    ],
  ] as const

  describe.each(protocols)('over %s', (_name, call) => {
    test('a body arrives whole, with path and query apart', async () => {
      const reply = await call({
        path: '/echo?a=1&b=%2F',
        body: `${'x'.repeat(100_000)}the end of the body!`,
      })
      expect(reply.status).toBe(200)
      expect(JSON.parse(reply.body)).toEqual({
        length: 100_020,
        tail: 'the end of the body!',
        query: 'a=1&b=%2F',
      })
    })

    test('204 has no body and no length', async () => {
      const reply = await call({ path: '/none', body: 'x' })
      expect(reply).toMatchObject({ status: 204, body: '' })
      expect(reply.headers['content-length']).toBeUndefined()
    })

    test('text is sent as plain text with its length', async () => {
      const reply = await call({ path: '/early' })
      expect(reply.headers).toMatchObject({
        'content-type': 'text/plain; charset=utf-8',
        'content-length': '3',
      })
    })

    test('a header that was sent twice is counted twice', async () => {
      const reply = await call({ path: '/headers', headers: { 'x-one': ['a', 'b'] } })
      expect(reply.body).toBe('a 2 0')
    })

    test.each([bodyMax + 1, 7 * 1_048_576])(
      'a body of %i bytes is read and dropped, and its client hears so',
      async (bytes) => {
        expect(await call({ path: '/echo', body: Buffer.alloc(bytes, 'x') })).toMatchObject({
          status: 413,
          body: 'too large\n',
        })
      },
    )

    test('a body of exactly the bound is taken', async () => {
      expect((await call({ path: '/echo', body: Buffer.alloc(bodyMax, 'x') })).status).toBe(200)
    })

    test('an answer before the body leaves the connection usable', async () => {
      expect((await call({ path: '/early', body: Buffer.alloc(500_000) })).status).toBe(401)
      expect((await call({ path: '/none' })).status).toBe(204)
    })

    test('what a handler throws is told to us and not to the client', async () => {
      const reply = await call({ path: '/throw', body: 'x' })
      expect(reply).toMatchObject({ status: 500, body: '' })
      expect(reply.headers['svc-error']).toBe('internal')
      expect(errors.at(-1)).toEqual(new Error('a secret reason'))
    })

    test('a hundred requests at once are all answered', async () => {
      const replies = await Promise.all(
        Array.from({ length: 100 }, (_, i) => call({ path: '/echo', body: 'y'.repeat(i + 1) })),
      )
      expect(replies.map(({ body }) => JSON.parse(body).length)).toEqual(
        replies.map((_, i) => i + 1),
      )
    })
  })

  test('Authorization sent twice is counted, though node:http keeps one alone', async () => {
    const answer = await callRaw(listener.port, [
      'GET /headers HTTP/1.1\r\nHost: x\r\nAuthorization: a\r\nauthorization: b\r\nConnection: close\r\n\r\n',
    ])
    expect(answer).toContain('undefined 0 2')
  })

  test('an HTTP/1.1 connection is kept alive over several requests', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
    for (let i = 0; i < 3; i++)
      expect((await callHttp1(listener.port, { path: '/echo', body: 'x' }, agent)).status).toBe(200)
    expect(Object.values(agent.freeSockets).flat()).toHaveLength(1)
    agent.destroy()
  })

  test('pipelined HTTP/1.1 requests are answered in order', async () => {
    const one = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
    const answer = await callRaw(listener.port, [one('/none') + one('/early') + one('/none')])
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([
      'HTTP/1.1 204',
      'HTTP/1.1 401',
      'HTTP/1.1 204',
    ])
  })

  test('an answer does not overtake the body, since some clients would hang', async () => {
    const stream = session.request({ ':method': 'POST', ':path': '/early' })
    let status: unknown
    const answered = new Promise<void>((resolve) => {
      stream.on('response', (received) => {
        status = received[':status']
        resolve()
      })
    })
    expect((await callHttp2(session, { path: '/none' })).status).toBe(204)
    expect(status).toBeUndefined()
    stream.end('x')
    await answered
    expect(status).toBe(401)
  })

  test('100 concurrent streams are announced', async () => {
    const fresh = http2.connect(`http://127.0.0.1:${listener.port}`)
    const settings = await new Promise<http2.Settings>((resolve) =>
      fresh.once('remoteSettings', resolve),
    )
    fresh.destroy()
    expect(settings.maxConcurrentStreams).toBe(100)
  })

  test('the preface may come byte by byte', async () => {
    const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
    const settingsFrame = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])
    const answer = await callRaw(listener.port, [
      ...Array.from(preface, (byte) => Buffer.of(byte)),
      settingsFrame,
    ])
    expect(answer.charCodeAt(3)).toBe(4) // the server returns a SETTINGS frame
  })

  test.each(['PRI * HTTP/1.1\r\n\r\n', 'POST', 'garbage \0\r\n\r\n', '\x16\x03\x01'])(
    '%j ends in a close or a 400, and nothing else happens',
    async (bytes) => {
      const answer = await callRaw(listener.port, [bytes])
      expect(answer === '' || answer.startsWith('HTTP/1.1 400')).toBe(true)
      expect((await callHttp1(listener.port, { path: '/none' })).status).toBe(204)
    },
  )

  test('a client that goes away in the middle of its body is no error', async () => {
    const before = errors.length
    const request = http.request({
      port: listener.port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/echo',
      headers: { 'content-length': 1000 },
    })
    request.on('error', () => {})
    await new Promise((resolve) => request.write('some', resolve))
    request.destroy()
    const stream = session.request({ ':method': 'POST', ':path': '/echo' })
    stream.on('error', () => {})
    await new Promise((resolve) => stream.write('some', resolve))
    stream.close(http2.constants.NGHTTP2_CANCEL)
    expect((await callHttp2(session, { path: '/none' })).status).toBe(204)
    expect(errors).toHaveLength(before)
  })

  test('curl speaks both protocols to the one port', async () => {
    const url = `http://127.0.0.1:${listener.port}/none`
    for (const protocol of ['--http1.1', '--http2-prior-knowledge', '--http2']) {
      expect(await curl('%{http_code}', protocol, '-d', 'x', url)).toBe('204')
    }
  })

  test('under TLS the protocol is chosen by ALPN', async () => {
    const secured = await listen({ tls: await selfSigned() })
    try {
      const url = `https://127.0.0.1:${secured.port}/none`
      for (const [protocol, version] of [
        ['--http1.1', '1.1'],
        ['--http2', '2'],
      ] as const) {
        const stdout = await curl('%{http_code} %{http_version}', protocol, '-d', 'x', url)
        expect(stdout).toBe(`204 ${version}`)
      }
      const socket = tls.connect({
        port: secured.port,
        host: '127.0.0.1',
        rejectUnauthorized: false,
        ALPNProtocols: ['h2'],
      })
      await new Promise((resolve) => socket.once('secureConnect', resolve))
      expect(socket.alpnProtocol).toBe('h2')
      socket.destroy()
    } finally {
      await secured.close(100)
    }
  })

  test('closing lets requests under way finish, and takes no new connection', async () => {
    const closing = await listen()
    const client = http2.connect(`http://127.0.0.1:${closing.port}`)
    const [overHttp1, overHttp2] = [
      callHttp1(closing.port, { path: '/slow' }),
      callHttp2(client, { path: '/slow' }),
    ]
    await callHttp2(client, { path: '/none' })
    const closed = closing.close(5_000)
    await expect(callHttp1(closing.port, { path: '/none' })).rejects.toThrow('ECONNREFUSED')
    releaseSlow()
    expect((await overHttp1).body).toBe('done')
    expect((await overHttp2).body).toBe('done')
    await closed
  })
})
