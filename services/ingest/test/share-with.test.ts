// Which pages may read ingest's responses, and that requests without an origin pass unchanged.
import { expect, test } from '@jest/globals'
import type { HttpRequest, HttpResponse } from '@weir/http2'
import { createCors } from '@weir/kit'
import { shareEventsWith } from '../src/share-with.ts'

const own = 'https://weir.example.com'
const refusal: HttpResponse = { status: 400, headers: { 'svc-error': 'undecodable' }, body: 'no' }

function ask(method: string, headers: Readonly<Record<string, string>>) {
  let asked = 0
  const handler = shareEventsWith(createCors({ origins: [own], requestHeaders: [] }), () => {
    asked += 1
    return refusal
  })
  const request: HttpRequest = {
    method,
    path: '/event',
    query: '',
    header: (name) => headers[name],
    headerCount: (name) => (headers[name] === undefined ? 0 : 1),
    body: () => Buffer.alloc(0),
    chunks: async function* () {},
  }
  return { answer: handler(request), asked: () => asked }
}

test('a request without an origin is answered by the very object that the routes gave', () => {
  expect(ask('POST', {}).answer).toBe(refusal)
})

test('the console reads refusals, and the code that is in their header', async () => {
  const { status, headers, body } = await ask('POST', { origin: own }).answer
  expect({ status, body }).toEqual({ status: 400, body: 'no' })
  expect(headers).toMatchObject({
    'svc-error': 'undecodable',
    'access-control-allow-origin': own,
    'access-control-expose-headers': 'svc-error, svc-request-id, retry-after, link',
  })
})

test('a preflight of the console is answered without the routes', async () => {
  const { answer, asked } = ask('OPTIONS', { origin: own, 'access-control-request-method': 'POST' })
  expect((await answer).status).toBe(204)
  expect(asked()).toBe(0)
})

test('another origin is told nothing, and its preflight is no method of ours', async () => {
  const headers = { origin: 'https://evil.test', 'access-control-request-method': 'POST' }
  const { answer, asked } = ask('OPTIONS', headers)
  expect((await answer).headers).toEqual({ 'svc-error': 'undecodable', vary: 'Origin' })
  expect(asked()).toBe(1)
})
