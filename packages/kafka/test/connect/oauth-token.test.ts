// Gets tokens by client credentials from a local server.
import { createServer } from 'node:http'
import type { Server } from 'node:http'

import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'

import { createTokenSource } from '../../src/connect/access/oauth-token.ts'
import type { TokenSource } from '../../src/connect/access/oauth-token.ts'

let server: Server
let port = 0
let answer: { status: number; body: string }
const asked: { authorization: string | undefined; body: string }[] = []

beforeAll(async () => {
  server = createServer((req, res) => {
    let body = ''
    req.on('data', (chunk) => (body += String(chunk)))
    req.on('end', () => {
      asked.push({ authorization: req.headers.authorization, body })
      res.writeHead(answer.status, { location: '/elsewhere' }).end(answer.body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(() => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(resolve))
})
beforeEach(() => void (asked.length = 0))

const source = (): TokenSource =>
  createTokenSource({
    url: `http://127.0.0.1:${port}/token`,
    clientId: 'weir client',
    scope: 'kafka',
    secret: () => 'a+b:c%',
    ca: () => undefined,
  })

const give = (token: string, expires_in: number): void => {
  answer = { status: 200, body: JSON.stringify({ access_token: token, expires_in }) }
}

test('all who ask at one time share a token, and later ones as long as it is good for a while', async () => {
  const { token } = source()
  give('first', 300)
  expect(await Promise.all([token(), token()])).toEqual(['first', 'first'])
  give('second', 300)
  expect(await token()).toBe('first')
  expect(asked).toEqual([
    {
      authorization: `Basic ${Buffer.from('weir+client:a%2Bb%3Ac%25').toString('base64')}`,
      body: 'grant_type=client_credentials&scope=kafka',
    },
  ])
})

test('one that is nearly over, or was refused, is not shown again', async () => {
  const { token, forget } = source()
  give('short', 15)
  expect(await token()).toBe('short')
  give('long', 300)
  expect(await token()).toBe('long')
  give('next', 300)
  forget()
  expect(await token()).toBe('next')
})

test.each([
  [
    { status: 401, body: '{"error":"invalid_client","hint":"hunter2"}' },
    'refuses our client (401)',
  ],
  [{ status: 302, body: '' }, 'answers with 302'],
  [{ status: 500, body: 'hunter2' }, 'answers with 500'],
  [{ status: 200, body: 'hunter2' }, 'answers without a token'],
  [{ status: 200, body: '{"access_token":"hunter2\\u0001auth=x"}' }, 'answers without a token'],
])('%j is no token, and nothing of it is told', async (given, told) => {
  answer = given
  const failure = source().token()
  await expect(failure).rejects.toMatchObject({
    code: 'kafka.no_token',
    message: expect.stringContaining(told),
  })
  await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining('hunter2') })
  expect(asked).toHaveLength(1)
})
