// How responses, refusals and faults are sent over HTTP.
import { expect, test } from '@jest/globals'
import { Refusal, mount, needsIn, createExpress } from '../../src/index.ts'
import type { Call, RouteHandler } from '../../src/index.ts'
import { createLog } from '@weir/kit'
import { ControlStateError } from '@weir/control-state'
import { appWith, page, serving } from './served.ts'

const ask = (path: string, init: RequestInit = {}, handler: RouteHandler = shown) =>
  serving(appWith(handler), async (url) => {
    const response = await fetch(url + path, init)
    return { status: response.status, headers: response.headers, text: await response.text() }
  })

const shown: RouteHandler = (call: Call) => ({
  status: 200,
  body: { thing: call.param('thing'), of: call.query('of') ?? null },
})

test('a handler gets the decoded path and gives JSON that nobody keeps', async () => {
  const { status, headers, text } = await ask('/things/a%2Fb?of=shop')
  expect({ status, body: JSON.parse(text) }).toEqual({
    status: 200,
    body: { thing: 'a/b', of: 'shop' },
  })
  expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('svc-request-id')).toMatch(/^\w+/)
  expect(headers.get('x-powered-by')).toBeNull()
})

test('a text goes out as it is, under its own type', async () => {
  const csv: RouteHandler = () => ({
    status: 200,
    headers: { 'content-type': 'text/csv' },
    body: 'a,b',
  })
  const { headers, text } = await ask('/things/x', {}, csv)
  expect([headers.get('content-type'), text]).toEqual(['text/csv', 'a,b'])
})

test.each([
  ['a path that is not there', '/nowhere', {}, 404, 'not_found'],
  ['another case of a path', '/THINGS/x', {}, 404, 'not_found'],
  ['a method that it does not have', '/things/x', { method: 'DELETE' }, 405, 'method_not_allowed'],
  ['a broken percent sign', '/things/%E0%A4%A', {}, 400, 'invalid_request'],
  ['a query twice', '/things/x?of=1&of=2', {}, 422, 'invalid'],
  [
    'a body that is too large',
    '/things/x',
    { method: 'POST', body: 'x'.repeat(2_049) },
    413,
    'too_large',
  ],
  [
    'an unknown encoding',
    '/things/x',
    { method: 'POST', body: '{}', headers: { 'content-encoding': 'zz' } },
    415,
    'unsupported_encoding',
  ],
])(
  '%s is a problem document that names its code and links to its page',
  async (_, path, init, status, code) => {
    const answer = await ask(path, init)
    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe('application/problem+json')
    expect(answer.headers.get('svc-error')).toBe(code)
    expect(answer.headers.get('link')).toBe(`<https://docs.test/errors/${code}>; rel="help"`)
    expect(JSON.parse(answer.text)).toMatchObject({ status, code })
  },
)

test('a path says which methods it has, and a limit of bodies is told', async () => {
  expect((await ask('/things/x', { method: 'PATCH' })).headers.get('allow')).toBe('GET, HEAD, POST')
  const large = await ask('/things/x', { method: 'POST', body: 'x'.repeat(2_049) })
  expect(JSON.parse(large.text)).toMatchObject({
    detail: 'The body may have at most 2 KiB; send less',
  })
})

test('events that reach the wrong service are told so', async () => {
  const { status, text } = await ask('/events', { method: 'POST', body: '{}' })
  expect([status, JSON.parse(text)]).toEqual([
    404,
    expect.objectContaining({ detail: 'Events are sent to ingest, which has another address' }),
  ])
})

test('what a handler throws is told by the tables, and a fault tells nothing', async () => {
  const refusing: RouteHandler = () => {
    throw new Refusal('sold_out', 'The last one went at noon')
  }
  expect(JSON.parse((await ask('/things/x', {}, refusing)).text)).toMatchObject({
    code: 'sold_out',
  })
  const failing: RouteHandler = async () => {
    throw new Error('secret')
  }
  const { status, text } = await ask('/things/x', {}, failing)
  expect(status).toBe(500)
  expect(text).not.toContain('secret')
})

test.each(['/plain', '/words/none'])(
  '%s has a form of errors of its own, and the header all the same',
  async (path) => {
    const refusing: RouteHandler = () => {
      throw new Refusal('not_found', 'There is nothing here')
    }
    const { status, headers, text } = await ask(path, {}, refusing)
    expect([status, headers.get('svc-error'), text]).toEqual([
      418,
      'not_found',
      'There is nothing here',
    ])
  },
)

test('too many wrong keys are 429 with the time to wait, and other refusals are not counted', async () => {
  const secrets: string[] = []
  const guesses = {
    count: (_: unknown, secret: string) => (secrets.push(secret) > 1 ? 7 : undefined),
  }
  const wrong: RouteHandler = (call) => {
    if (call.param('thing') === 'gone') throw new Refusal('not_found', 'gone')
    throw new ControlStateError('control-state.invalid_api_key', 'wrong')
  }
  await serving(appWith(wrong, guesses), async (url) => {
    const authorization = 'Bearer weir_wrong'
    const statusOf = async (thing: string) => {
      const response = await fetch(`${url}/things/${thing}`, { headers: { authorization } })
      return [
        response.status,
        response.headers.get('svc-error'),
        response.headers.get('retry-after'),
      ]
    }
    expect(await statusOf('gone')).toEqual([404, 'not_found', null])
    expect(await statusOf('x')).toEqual([401, 'invalid_api_key', null])
    expect(await statusOf('x')).toEqual([429, 'too_many_failures', '7'])
  })
  expect(secrets).toEqual(['Bearer weir_wrong', 'Bearer weir_wrong'])
})

test('a page that may ask reads refusals, too, and its preflight never reaches a handler', async () => {
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: page, 'access-control-request-method': 'POST' },
  }
  const { status, headers } = await ask('/things/x', preflight)
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, page])
  const refused = await ask('/nowhere', { headers: { origin: page } })
  expect(refused.headers.get('access-control-allow-origin')).toBe(page)
  expect(refused.headers.get('access-control-expose-headers')).toContain('svc-error')
  const stranger = await ask('/things/x', { headers: { origin: 'https://evil.test' } })
  expect(stranger.headers.get('access-control-allow-origin')).toBeNull()
})

test('a route of which nobody has said who may call it is not mounted', () => {
  const on = {
    app: createExpress(createLog('test', 'silent')),
    needsOf: needsIn({ 'GET /a': 'anyone' }),
  }
  expect(() => mount(on, '/a', { GET: shown, POST: shown })).toThrow(
    'POST /a has no entry in route-needs.ts',
  )
})
