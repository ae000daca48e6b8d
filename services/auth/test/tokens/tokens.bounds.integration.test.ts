// The limits for unauthenticated clients at the token endpoints: requests must be short, and cost auth little.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Service } from '@weir/devstack'
import { measured } from '@weir/testkit'
import { makeAccount, secretsOf, send, startAuth, uniqueName } from '../support.ts'
import type { Reply, Secrets } from '../support.ts'
import { cpuMs } from '../support-cpu.ts'

let auth: Service
let secrets: Secrets

beforeAll(async () => {
  auth = await startAuth()
  const account = await makeAccount(auth)
  secrets = secretsOf(await account.post('/v2/streams', { name: uniqueName('in') }))
})
afterAll(() => auth.stop())

const paths = ['/auth', '/refresh', '/oauth2/token'] as const

const sendTo = (path: string, body: string, type = 'application/json'): Promise<Reply> =>
  send(`${auth.url}${path}`, { method: 'POST', body, headers: { 'content-type': type } })
const sendForm = (body: string): Promise<Reply> =>
  sendTo('/oauth2/token', body, 'application/x-www-form-urlencoded')
const parameters = (count: number): string =>
  Array.from({ length: count }, (_, index) => `p${index}=1`).join('&')
const grant = (): string =>
  `grant_type=client_credentials&client_id=${secrets.clientId}&client_secret=${secrets.clientSecret}`

test('a body over 16 KiB is refused with 413 at each of them, whatever it holds', async () => {
  for (const path of paths) {
    const reply = await sendTo(path, 'x'.repeat(16_385))
    expect(reply.status).toBe(413)
    expect(reply.text).toContain('16 KiB')
    expect((await sendTo(path, 'x'.repeat(16_384))).status).toBe(400)
  }
  expect((await sendTo('/auth', ' '.repeat(20_000))).json['code']).toBe('too_large')
})

test('20 parameters are read, more are refused with 400', async () => {
  expect((await sendForm(`${grant()}&${parameters(17)}`)).status).toBe(200)
  const refused = await sendForm(`${grant()}&${parameters(18)}`)
  expect(refused.status).toBe(400)
  expect(refused.json).toMatchObject({
    error: 'invalid_request',
    error_description: expect.stringContaining('20 parameters'),
  })
  const members = Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`m${index}`, 1]))
  for (const path of ['/auth', '/refresh']) {
    const reply = await sendTo(path, JSON.stringify(members))
    expect(reply.status).toBe(400)
    expect(reply.json['message']).toContain('20 parameters')
  }
})

test('floods of parameters cost next to nothing, and tokens are issued meanwhile', async () => {
  const many = parameters(90_000)
  const short = parameters(1_600)
  const twice = 'a=1&a=2'
  const beforeMs = cpuMs(auth.pid)
  const refused = Promise.all([
    ...Array.from({ length: 10 }, () => sendForm(many)),
    ...Array.from({ length: 10 }, () => sendForm(short)),
    sendForm(twice),
  ])
  const issued = await Promise.all(Array.from({ length: 10 }, () => sendForm(grant())))
  const statuses = (await refused).map(({ status }) => status)
  expect(issued.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  expect(statuses.slice(0, 10)).toEqual(Array.from({ length: 10 }, () => 413))
  expect(statuses.slice(10)).toEqual(Array.from({ length: 11 }, () => 400))
  expect(cpuMs(auth.pid) - beforeMs).toBeLessThan(measured(1_000))
})
