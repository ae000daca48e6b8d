// How many people a decrypter asks for in one request, and how long it uses their keys. A fake server counts the
// requests.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals'
import { createDecrypter } from '../../src/index.ts'

const atMost = 300
const asked: number[] = []
let maxAgeSeconds = 300
let url = ''

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const { persons = [] }: { persons?: object[] } = JSON.parse(body)
    if (request.url === '/auth') {
      const expiresAt = Math.floor(Date.now() / 1_000) + 3_600
      return response.end(JSON.stringify({ idToken: 'token', refreshToken: 'r', expiresAt }))
    }
    asked.push(persons.length)
    response.statusCode = persons.length > atMost ? 422 : 200
    const erased = persons.map((person) => ({ ...person, erased: true }))
    return response.end(JSON.stringify({ maxAgeSeconds, persons: erased }))
  })
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => void server.close())

const decrypter = () =>
  createDecrypter({
    authUrl: url,
    outputUrl: url,
    billingId: 'acme',
    clientId: 'client',
    clientSecret: 'secret',
  })

const eventsOf = (count: number) =>
  Array.from({ length: count }, (_, nth) => {
    const keyLink = Buffer.alloc(16)
    keyLink.writeUInt32BE(nth)
    const name = Buffer.concat([Buffer.of(1), keyLink.subarray(0, 4), Buffer.alloc(20)])
    return {
      headers: { 'svc-key-link': keyLink, 'svc-time': '0' },
      event: { svcMeta: { consentLevels: [0] }, name: name.toString('base64') },
    }
  })

test('if output gives fewer keys in one request, it asks for fewer people, and goes on so', async () => {
  asked.length = 0
  const reader = decrypter()
  const events = eventsOf(1_500)
  const decrypted = await reader.decrypt(events)
  expect(decrypted).toHaveLength(1_500)
  for (const event of decrypted) expect(event).toMatchObject({ name: { reason: 'erased' } })
  expect(asked).toEqual([1_000, 250, 250, 250, 250, 250, 250])
  await reader.decrypt(events)
  expect(asked).toHaveLength(7) // the keys of the other people are cached
})

test('a long list does not block the process, even if all keys are cached', async () => {
  const reader = decrypter()
  const some = eventsOf(100)
  await reader.decrypt(some)
  let turns = 0
  let isDone = false
  const count = (): void => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  await reader.decrypt(Array.from({ length: 50 }, () => some).flat())
  isDone = true
  expect(turns).toBeGreaterThanOrEqual(4) // once for each thousand of the 5,000 events
})

test('a row of an export names its keyLink as a UUID, and its time as a number', async () => {
  const [first] = eventsOf(1)
  const row = (link: string, time: number | Date = 1_764_000_000_000) => ({
    event: first?.event,
    headers: { 'svc-key-link': link, 'svc-time': time },
  })
  const zero = '00000000-0000-0000-0000-000000000000'
  expect(await decrypter().decrypt([row(zero)])).toMatchObject([{ name: { reason: 'erased' } }])
  expect(await decrypter().decrypt([row(zero, new Date())])).toHaveLength(1)
  await expect(decrypter().decrypt([row(zero.slice(1))])).rejects.toMatchObject({
    code: 'unreadable',
  })
})

test('a key that becomes too old between its check and its use is asked for again', async () => {
  const reader = decrypter()
  const [event] = eventsOf(1)
  if (event === undefined) throw new Error('there is no event')
  await reader.decrypt([event])
  asked.length = 0
  const start = performance.now()
  let calls = 0
  // The keys are fresh at the first call, in `fetch`, and too old when they are used.
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => {
    calls += 1
    return start + (calls === 1 ? 0 : 300_001)
  })
  try {
    expect(await reader.decrypt([event])).toMatchObject([{ name: { reason: 'erased' } }])
    expect(asked).toEqual([1])
  } finally {
    clock.mockRestore()
  }
})

test('keys that are too old when they arrive are not used', async () => {
  maxAgeSeconds = 0
  await expect(decrypter().decrypt(eventsOf(1))).rejects.toMatchObject({ code: 'unreachable' })
})
