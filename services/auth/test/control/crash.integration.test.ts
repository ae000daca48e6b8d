// Auth is killed while it creates streams. Each stream that got 201 exists, and another replica removes unfinished
// ones.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { joinAuth, makeAccount, secretsOf, send, uniqueName } from '../support.ts'
import type { Account, Reply, SharedAuth } from '../support.ts'

// A creation counts as failed after a minute. Then auth deletes the topic, and a few seconds later the name is free.
const cleanedWithinMs = 90_000

let survivor: SharedAuth
let account: Account

beforeAll(async () => {
  survivor = await joinAuth()
  account = await makeAccount(survivor)
})
afterAll(() => survivor.stop())

type Attempt = { name: string; reply: Reply | undefined }

/** Creates streams through a replica, and kills it after twelve responses with 201. */
async function makeUntilKilled(): Promise<Attempt[]> {
  const victim = await survivor.replica()
  const mine = account.at(victim)
  const attempts: Attempt[] = []
  let announced = 0
  let isKilled = false
  const makeOneAfterTheOther = async (): Promise<void> => {
    while (!isKilled) {
      const attempt: Attempt = { name: uniqueName('s'), reply: undefined }
      attempts.push(attempt)
      attempt.reply = await mine.post('/v2/streams', { name: attempt.name }).catch(() => undefined)
      if (attempt.reply?.status === 201) announced += 1
    }
  }
  const makers = Array.from({ length: 8 }, makeOneAfterTheOther)
  await pollUntil(() => announced >= 12, { deadlineMs: 60_000, everyMs: 1 })
  isKilled = true
  await victim.kill()
  await Promise.all(makers)
  return attempts
}

test('what was announced stays, and what was half-made is gone in the end', async () => {
  const attempts = await makeUntilKilled()
  const lost = attempts.filter(({ reply }) => reply === undefined)
  for (const { name, reply } of attempts) {
    if (reply === undefined) continue
    expect(reply.status).toBe(201)
    expect((await account.get(`/v2/streams/${name}`)).status).toBe(200)
    const json = { billingId: account.billingId, ...secretsOf(reply) }
    const tokens = await send(`${survivor.url}/auth`, { method: 'POST', json })
    expect(tokens.status).toBe(200)
  }
  expect(lost.length).toBeGreaterThan(0)
  await Promise.all(
    lost.map(async ({ name }) => {
      // Either the creation was completed, or its name becomes free.
      if ((await account.get(`/v2/streams/${name}`)).status === 200) return
      const isFree = async () => (await account.post('/v2/streams', { name })).status === 201
      await pollUntil(isFree, { deadlineMs: cleanedWithinMs, everyMs: 1_000 })
    }),
  )
}, 150_000)
