// A stream is repeatedly deleted, and created again under its name. The new stream shares only its name with the old
// one, and other streams are not affected. The services have a shorter produce timeout, because a deletion waits that
// long.

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Contract } from '@weir/contracts'
import { delay, pollUntil } from '@weir/kit'

import { scale } from '../../src/scale.ts'
import { signUp, exampleEvent, expectStatus, freshName } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { listen } from '../../src/world/listener.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Producer } from '../../src/world/producer.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const ROUNDS = scale(50, 2)
const EVENTS = 6
const schemaId = 'demo_v1'
const consentLevels = [1]
const [name, derivedName] = ['again', 'again-1']

let own: OwnNames
let world: World
let account: Account
let producer: Producer
let contract: Contract
let event: Record<string, unknown>

beforeAll(async () => {
  own = await openOwnNames('recreated')
  world = await own.startWorld({ PRODUCE_TIMEOUT_MS: '10000' })
  account = await signUp(world.auth.url)
  await account.contract(schemaId)
  producer = await connectProducer(world.ingest.url)
  contract = await compiledExample(schemaId)
  event = await exampleEvent(schemaId)
})

afterAll(async () => {
  producer?.close()
  await own?.close()
})

/** Returns an event with a mark in a field that isn't encrypted. */
const eventOf = (mark: string) => ({
  ...event,
  svcMeta: { consentLevels },
  consistent_value: freshName('key'),
  not_sensitive_value: { string: mark },
})

async function statusOf(mark: string, token: string): Promise<number> {
  return (await producer.send(eventOf(mark), { token, schemaId })).status
}

async function marksIn(topic: string, count: number): Promise<Set<unknown>> {
  const records = await own.reader.readUntil(topic, count)
  return new Set(records.map((record) => plainEvent(contract, record)['not_sensitive_value']))
}

/** Retries, because the name is refused while the old stream is being deleted. */
async function makeAgain(): Promise<{ input: TestStream; derived: TestStream }> {
  const make = async () => {
    const taken = await account.call('POST', '/v2/streams', { name })
    return taken.status === 409 ? undefined : account.made(taken)
  }
  const input = await pollUntil(make, { deadlineMs: 60_000, everyMs: 50, what: 'a free name' })
  return { input, derived: await account.output(name, derivedName, { consentLevels }) }
}

async function expectRefused(mark: string, token: string): Promise<void> {
  expect(await statusOf(mark, token)).toBe(401)
  await expect(listen(world.output.url, token)).rejects.toThrow('refused with status 401')
}

/** Sends events without a pause until the token is refused. Returns the statuses. */
async function sendUntilRefused(mark: string, token: string): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.at(-1) !== 401) statuses.push(await statusOf(mark, token))
  return statuses
}

async function liveOnce(round: number, oldTokens: readonly string[]): Promise<string[]> {
  const mark = `round ${round}`
  const { input, derived } = await makeAgain()
  const [token, derivedToken] = [await account.token(input), await account.token(derived)]

  await Promise.all(oldTokens.map((old) => expectRefused(mark, old)))
  const sent = Array.from({ length: EVENTS }, () => statusOf(mark, token))
  expect(await Promise.all(sent)).toEqual(Array(EVENTS).fill(204))
  const topics = [input.topic, derived.topic]
  const marks = await Promise.all(topics.map((topic) => marksIn(topic, EVENTS)))
  expect(marks).toEqual([new Set([mark]), new Set([mark])])

  const sending = Promise.all([sendUntilRefused(mark, token), sendUntilRefused(mark, token)])
  expectStatus(await account.call('DELETE', `/v2/streams/${name}?recursive=true`), 200)
  for (const status of new Set((await sending).flat())) expect([204, 401, 503]).toContain(status)
  return [token, derivedToken]
}

/** Sends events to a separate stream. `stop` returns all responses. */
function sendSteadily(token: string) {
  const answers: string[] = []
  let stopped = false
  const send = async () => {
    while (!stopped) {
      const mark = `steady ${answers.length}`
      const { status, body } = await producer.send(eventOf(mark), { token, schemaId })
      answers.push(`${status} ${body}`.trim())
      await delay(5)
    }
  }
  const sending = Promise.all([send(), send()])
  sending.catch(() => undefined) // `stop` rejects with the error
  return {
    async stop(): Promise<string[]> {
      stopped = true
      await sending
      return answers
    },
  }
}

test('over and over, nothing of an old stream is in the new one, and no other stream fails', async () => {
  const steady = await account.input('steady')
  const steadyDerived = await account.output('steady', 'steady-1', { consentLevels })
  const steadily = sendSteadily(await account.token(steady))

  const oldTokens: string[] = []
  for (let round = 1; round <= ROUNDS; round++) {
    oldTokens.push(...(await liveOnce(round, oldTokens.slice(-4))))
  }

  const answers = await steadily.stop()
  expect(new Set(answers)).toEqual(new Set(['204']))
  expect(answers.length).toBeGreaterThan(ROUNDS)
  const records = await own.reader.readUntil(steadyDerived.topic, answers.length)
  const sources = records.map(({ headers }) => headers['svc-source']?.toString())
  expect(new Set(sources).size).toBe(answers.length)
}, 900_000)
