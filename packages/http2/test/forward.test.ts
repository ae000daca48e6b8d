// Forwarding HTTP/2 requests to a plain http.Server: what the server and the client receive.
import { createServer } from 'node:http'
import type { IncomingMessage } from 'node:http'
import * as http2 from 'node:http2'
import { pollUntil } from '@weir/kit'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { listenNode } from '../src/index.ts'
import type { Listener } from '../src/index.ts'
import { callHttp2, text } from './clients.ts'
import { selfSigned } from '../conformance/certificate.ts'

const deadlineMs = 60_000
const events: string[] = []
const isEncrypted = (req: IncomingMessage) => 'encrypted' in req.socket && req.socket.encrypted

const server = createServer((req, res) => {
  switch (req.url) {
    case '/early':
      return void res.writeHead(401).end('no\n'.repeat(1_000))
    case '/te':
      return void res.writeHead(200, { te: 'gzip' }).end('x')
    case '/die':
      return void req.socket.destroy()
    case '/timeouts':
      req.socket.setTimeout(1).setNoDelay(true).setKeepAlive(true)
      return void res.setTimeout(1).end('ok')
    case '/endless': {
      res.on('close', () => events.push('response closed'))
      req.on('aborted', () => events.push('request aborted')).on('error', () => {})
      return void res.write('first')
    }
    default:
      return void text(req).then((body) =>
        res.end(JSON.stringify({ body, raw: req.rawHeaders, encrypted: isEncrypted(req) })),
      )
  }
})

let listener: Listener
let session: http2.ClientHttp2Session
beforeAll(async () => {
  listener = await listenNode({ host: '127.0.0.1', port: 0, server })
  session = http2.connect(`http://127.0.0.1:${listener.port}`)
})
beforeEach(() => void events.splice(0))
afterAll(async () => {
  session.destroy()
  await listener.close(100)
})

/** Returns the values of a header that the server received. */
function valuesOf(body: string, name: string): string[] {
  const raw: string[] = JSON.parse(body).raw
  return raw.filter((_, at) => at % 2 === 1 && raw[at - 1] === name)
}

test('headers sent twice arrive twice, those of a connection do not, and the authority is the host', async () => {
  const { body } = await callHttp2(session, {
    headers: {
      ':authority': 'good:1',
      host: 'evil',
      'x-one': ['a', 'b'],
      cookie: ['c=1', 'd=2'],
      te: 'trailers',
    },
  })
  expect(valuesOf(body, 'host')).toEqual(['good:1'])
  expect(valuesOf(body, 'x-one')).toEqual(['a', 'b'])
  expect(valuesOf(body, 'cookie')).toEqual(['c=1', 'd=2'])
  expect(valuesOf(body, ':authority')).toEqual([])
})

test('the body of a GET is its body and not the next request', async () => {
  const body = 'GET /endless HTTP/1.1\r\nHost: x\r\n\r\n'
  const reply = await callHttp2(session, { method: 'GET', body })
  expect(JSON.parse(reply.body).body).toBe(body)
  expect(events).toEqual([])
})

test('Expect: 100-continue is answered', async () => {
  const stream = session.request({ ':method': 'POST', ':path': '/', expect: '100-continue' })
  stream.on('continue', () => stream.end('after'))
  expect(JSON.parse(await text(stream)).body).toBe('after')
})

test('HEAD has the head alone', async () => {
  const reply = await callHttp2(session, { method: 'HEAD', path: '/early' })
  expect([reply.status, reply.body]).toEqual([401, ''])
})

test('an answer before the end of a large body arrives whole', async () => {
  // When the response arrives, the client keeps its unsent data in memory, which would exceed the default limit.
  const url = `http://127.0.0.1:${listener.port}`
  const client = http2.connect(url, { maxSessionMemory: 100 })
  for (let i = 0; i < 5; i++) {
    const reply = await callHttp2(client, { path: '/early', body: Buffer.alloc(3_000_000) })
    expect([reply.status, reply.body.length]).toEqual([401, 3_000])
  }
  client.destroy()
})

test('a header that HTTP/2 forbids, or no answer at all, is a 502', async () => {
  expect((await callHttp2(session, { path: '/te' })).status).toBe(502)
  expect((await callHttp2(session, { path: '/die' })).status).toBe(502)
})

test('a target that HTTP/1.1 cannot carry is a 400', async () => {
  expect((await callHttp2(session, { path: '/ü' })).status).toBe(400)
})

test('the settings of a socket may be touched', async () => {
  expect((await callHttp2(session, { path: '/timeouts' })).body).toBe('ok')
})

test.each([http2.constants.NGHTTP2_CANCEL, http2.constants.NGHTTP2_NO_ERROR])(
  'a reset with code %i reaches the server',
  async (code) => {
    const stream = session.request({ ':method': 'POST', ':path': '/endless' })
    stream.on('error', () => {})
    await new Promise((resolve) => stream.once('data', resolve))
    stream.close(code)
    expect(await pollUntil(() => events.includes('response closed'), { deadlineMs })).toBe(true)
  },
)

test('under TLS the server sees that the connection is encrypted', async () => {
  const secured = await listenNode({ host: '127.0.0.1', port: 0, server, tls: await selfSigned() })
  const url = `https://127.0.0.1:${secured.port}`
  const client = http2.connect(url, { rejectUnauthorized: false })
  expect(JSON.parse((await callHttp2(client, {})).body).encrypted).toBe(true)
  expect(JSON.parse((await callHttp2(session, {})).body).encrypted).toBe(false)
  client.destroy()
  await secured.close(100)
})
