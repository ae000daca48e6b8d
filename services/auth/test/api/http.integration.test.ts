// The common behaviour of all paths: HTTP/1.1 and HTTP/2 on one port, refusals as problem documents, limits.
import { connect as connectHttp2 } from 'node:http2'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { makeAccount, problem, send, joinAuth, uniqueName } from '../support.ts'
import type { Account, SharedAuth } from '../support.ts'

let auth: SharedAuth
let account: Account

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
})
afterAll(() => auth.stop())

type Http2Reply = { status: number; text: string }

function overHttp2(headers: Record<string, string>, body?: string): Promise<Http2Reply> {
  const session = connectHttp2(auth.url)
  return new Promise<Http2Reply>((resolve, reject) => {
    session.on('error', reject)
    const stream = session.request(headers)
    let status = 0
    let text = ''
    stream.on('response', (response) => void (status = Number(response[':status'])))
    stream.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
    stream.on('end', () => resolve({ status, text })).on('error', reject)
    stream.end(body)
  }).finally(() => session.close())
}

describe('HTTP/2 with prior knowledge', () => {
  test('reaches the same endpoints on the same port', async () => {
    const authorization = `Bearer ${account.apiKey}`
    const name = uniqueName('s')
    const made = await overHttp2(
      { ':method': 'POST', ':path': '/v2/streams', authorization },
      JSON.stringify({ name }),
    )
    expect(made.status).toBe(201)
    expect(JSON.parse(made.text)).toMatchObject({ ref: { name } })
    const shown = await overHttp2({ ':path': `/v1/streams/${name}`, authorization })
    expect(shown.status).toBe(200)
    expect((await overHttp2({ ':path': '/v1/streams' })).status).toBe(401)
  })
})

describe('refusals', () => {
  test('an unknown path gets 404, on whatever version and method', async () => {
    for (const path of ['/v2', '/v3/streams', '/v2/stream', '/V2/streams', '/auth/x'])
      for (const method of ['GET', 'POST']) {
        const reply = await send(`${auth.url}${path}`, { method })
        expect(reply.json).toEqual(problem(404, 'not_found'))
        expect(reply.headers.get('content-type')).toBe('application/problem+json')
      }
  })

  test.each([
    ['/v2/streams', 'PUT', 'GET, HEAD, POST'],
    ['/v1/streams/x', 'POST', 'GET, HEAD, PATCH, DELETE'],
    ['/v2/streams/x/outputs/y', 'PUT', 'GET, HEAD, PATCH, DELETE'],
    ['/v2/accounts', 'GET', 'POST'],
    ['/v2/contracts/x', 'DELETE', 'GET, HEAD'],
    ['/auth', 'GET', 'POST'],
    ['/refresh', 'OPTIONS', 'POST'],
    ['/oauth2/token', 'GET', 'POST'],
    ['/.well-known/jwks.json', 'POST', 'GET, HEAD'],
  ])('%s knows no %s: 405 with Allow %s', async (path, method, allow) => {
    const reply = await send(`${auth.url}${path}`, { method })
    expect(reply.status).toBe(405)
    expect(reply.headers.get('allow')).toBe(allow)
  })

  test('a path with broken percent-encoding gets 400', async () => {
    const reply = await send(`${auth.url}/v2/contracts/%E0%A4%A`, { bearer: account.apiKey })
    expect(reply.json).toEqual(problem(400, 'invalid_request'))
  })

  test('a body over 1 MiB gets 413, over HTTP/1.1 and HTTP/2, also when it is packed', async () => {
    const body = JSON.stringify({ name: 'x', tags: ['x'.repeat(1_048_576)] })
    const reply = await send(`${auth.url}/v2/streams`, {
      method: 'POST',
      bearer: account.apiKey,
      body,
    })
    expect(reply.json).toEqual(problem(413, 'too_large'))
    const authorization = `Bearer ${account.apiKey}`
    const headers = { ':method': 'POST', ':path': '/v2/streams', authorization }
    expect((await overHttp2(headers, body)).status).toBe(413)
    const packed = await send(`${auth.url}/v2/streams`, {
      method: 'POST',
      bearer: account.apiKey,
      body: gzipSync(body),
      headers: { 'content-encoding': 'gzip' },
    })
    expect(packed.status).toBe(413)
  })

  test('an unknown content encoding gets 415', async () => {
    const reply = await send(`${auth.url}/v2/streams`, {
      method: 'POST',
      bearer: account.apiKey,
      body: '{}',
      headers: { 'content-encoding': 'rot13' },
    })
    expect(reply.json).toEqual(problem(415, 'unsupported_encoding'))
  })

  test('a body without a content type is read as JSON', async () => {
    const reply = await send(`${auth.url}/v2/streams`, {
      method: 'POST',
      bearer: account.apiKey,
      body: Buffer.from(JSON.stringify({ name: uniqueName('s') })),
    })
    expect(reply.status).toBe(201)
  })
})

describe('what is told of itself', () => {
  test('no header names the framework', async () => {
    const { headers } = await account.get('/v2/account')
    expect(headers.get('x-powered-by')).toBeNull()
    expect(headers.get('etag')).toBeNull()
  })

  test('metrics count requests by path template, and hold no id of anybody', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name })
    await account.get(`/v2/streams/${name}`)
    const { text } = await send(`${auth.adminUrl}/metrics`)
    expect(text).toMatch(
      /svc_auth_requests_total\{route="\/v2\/streams\/:stream",method="GET",status="200",service="auth"\} \d/,
    )
    expect(text).toMatch(/svc_auth_changes_total\{outcome="done"/)
    expect(text).toMatch(/svc_auth_clean_ups_pending/)
    expect(text).not.toContain(name)
    expect(text).not.toContain(account.billingId)
  })
})
