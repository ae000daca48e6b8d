// When tokens are requested, with a clock and an auth of the test.
import { expect, test } from '@jest/globals'
import type { JsonReply } from '../src/json-request.ts'
import { timesOf, tokensFrom } from '../src/tokens.ts'

const hourMs = 3_600_000

function authOf(start = 1_000_000_000_000) {
  const auth = {
    nowMs: start,
    asked: 0,
    reply: (): JsonReply | Promise<JsonReply> => auth.grant(),
    grant: (): JsonReply => ({
      status: 200,
      headers: {},
      json: {
        idToken: `token ${auth.asked}`,
        refreshToken: 'unused',
        expiresAt: (auth.nowMs + hourMs) / 1000,
      },
    }),
  }
  const tokens = tokensFrom({
    address: 'http://auth',
    async ask() {
      auth.asked += 1
      return auth.reply()
    },
    nowMs: () => auth.nowMs,
    random: () => 1,
  })
  return { auth, tokens }
}

const refusal: JsonReply = {
  status: 401,
  headers: {},
  json: { code: 'invalid_credentials', message: 'Wrong credentials' },
}

test('many who want a token at once share one request, and its token until most of its life is over', async () => {
  const { auth, tokens } = authOf()
  const first = await Promise.all([tokens.get(), tokens.get(), tokens.get()])
  auth.nowMs += 0.79 * hourMs
  expect([...first, await tokens.get()]).toEqual(Array(4).fill('token 1'))
  expect(auth.asked).toBe(1)
})

test('a token is renewed ahead of time, and nobody waits for that', async () => {
  const { auth, tokens } = authOf()
  await tokens.get()
  auth.nowMs += 0.81 * hourMs
  expect(await tokens.get()).toBe('token 1')
  await new Promise(setImmediate)
  expect(await tokens.get()).toBe('token 2')
  expect(auth.asked).toBe(2)
})

test('while auth is away the token at hand is used until it expires, and auth is asked ever less often', async () => {
  const { auth, tokens } = authOf()
  await tokens.get()
  auth.reply = () => Promise.reject(new Error('away'))
  auth.nowMs += 0.81 * hourMs
  for (let tries = 0; tries < 100; tries += 1) {
    expect(await tokens.get()).toBe('token 1')
    await new Promise(setImmediate)
    auth.nowMs += 100
  }
  expect(auth.asked).toBeGreaterThan(3)
  expect(auth.asked).toBeLessThan(10)
  auth.nowMs += hourMs
  await expect(tokens.get()).rejects.toThrow('away')
  auth.reply = auth.grant
  expect(await tokens.get()).toBe(`token ${auth.asked}`)
})

test('a token that a service refused is not given again', async () => {
  const { tokens } = authOf()
  tokens.refused(await tokens.get())
  expect(await tokens.get()).toBe('token 2')
  tokens.refused('token 1')
  expect(await tokens.get()).toBe('token 2')
})

test('refused credentials are final, and not tried again for ten seconds', async () => {
  const { auth, tokens } = authOf()
  auth.reply = () => refusal
  const refused = { name: 'RejectedError', code: 'invalid_credentials', status: 401 }
  await expect(tokens.get()).rejects.toMatchObject(refused)
  await expect(tokens.get()).rejects.toMatchObject(refused)
  expect(auth.asked).toBe(1)
  auth.nowMs += 10_001
  auth.reply = auth.grant
  expect(await tokens.get()).toBe('token 2')
})

test('an auth that is busy says when to come back', async () => {
  const { auth, tokens } = authOf()
  auth.reply = () => ({ status: 429, headers: { 'retry-after': '7' }, json: undefined })
  await expect(tokens.get()).rejects.toMatchObject({ name: 'NoToken', retryAfterMs: 7_000 })
})

test("how long a token lives is told by auth's clock, whatever ours says", () => {
  const date = 'Sun, 22 Nov 2026 10:00:00 GMT'
  const expiresAt = Date.parse(date) / 1000 + 3_600
  const nowMs = Date.parse(date) + 5 * hourMs
  expect(timesOf({ expiresAt, date, nowMs })).toEqual({
    renewAtMs: nowMs + 0.8 * hourMs,
    goodUntilMs: nowMs + hourMs - 5_000,
  })
  expect(timesOf({ expiresAt, date: undefined, nowMs: nowMs - 5 * hourMs })).toEqual({
    renewAtMs: nowMs - 4.2 * hourMs,
    goodUntilMs: nowMs - 4 * hourMs - 5_000,
  })
})
