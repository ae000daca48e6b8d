// Erasures during a key rotation, and erasures during which auth is killed. Afterwards a new output derives all events.
// Only erased people are unreadable in this output.

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Contract } from '@weir/contracts'
import type { Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

import { asObject, signUp, exampleEvent, expectStatus, request } from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { dieAt } from '../../src/world/die-at.ts'
import { connectProducer } from '../../src/world/producer.ts'
import type { Producer } from '../../src/world/producer.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import { setting } from '../../src/world/services.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const schemaId = 'clickstream'

let own: OwnNames
let world: World
let auth: Service
let account: Account
let input: TestStream
let producer: Producer
let contract: Contract
let sent = 0

beforeAll(async () => {
  own = await openOwnNames('erase-rotate')
  world = await own.startWorld()
  auth = world.auth
  account = await signUp(auth.url)
  await account.contract(schemaId)
  contract = await compiledExample(schemaId)
  input = await account.input('clicks', { partitions: 1 })
  producer = await connectProducer(world.ingest.url)
})

afterAll(async () => {
  producer?.close()
  await own?.close()
})

const names = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, number) => `${prefix}-${number}`)

async function sendFor(people: readonly string[]): Promise<void> {
  const token = await account.at(auth.url).token(input)
  const event = await exampleEvent(schemaId)
  const answers = await Promise.all(
    people.map((person) =>
      producer.send({ ...event, producerSessionId: person }, { token, schemaId }),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
  sent += people.length
}

const platform = (method: string, path: string) =>
  request(auth.url, setting('PLATFORM_KEY'), method, path)
const erase = (keyFieldValues: readonly string[], url = auth.url) =>
  account.at(url).call('POST', '/v2/streams/clicks/erasures', {
    keyFieldValues,
    evenIfNoneFound: true,
  })
const areApplied = async (): Promise<boolean> => {
  const { text } = await account.at(auth.url).call('GET', '/v2/streams/clicks/erasures')
  return !text.includes('"state":"accepted"')
}
const isRotated = async (): Promise<boolean> => {
  const { rotation } = expectStatus(await platform('GET', '/v2/keys'), 200).body
  return rotation !== null && asObject(rotation)['finishedAt'] !== null
}

/** Returns the people whose events a new output decrypts. */
async function peopleIn(output: string): Promise<Set<unknown>> {
  const more = { consentLevels: [1], from: 'earliest' }
  await account.at(auth.url).output('clicks', output, more)
  const records = await own.reader.readUntil(`${account.billingId}.${output}`, sent, 60_000)
  const open = records.filter(({ headers }) => headers['svc-undecryptable'] === undefined)
  return new Set(open.map((record) => plainEvent(contract, record)['producerSessionId']))
}

test('while all keys are rotated, twenty erasures hold, and nobody comes back', async () => {
  const [leavers, stayers] = [names('leaves', 20), names('stays', 20)]
  await sendFor([...leavers, ...stayers])
  expectStatus(await platform('POST', '/v2/keys/rotations'), 202)
  const replies = await Promise.all(leavers.map((person) => erase([person])))
  expect(new Set(replies.map(({ status }) => Math.floor(status / 100)))).toEqual(new Set([2]))
  await pollUntil(isRotated, { deadlineMs: 60_000, what: 'the end of the rotation' })
  expect(await peopleIn('after-rotation')).toEqual(new Set(stayers))
})

test('killed before, within, at the end of and after an erasure that splits trees, auth has done it whole or not at all', async () => {
  const stayers = names('stays', 20)
  const gone: string[] = []
  const accepted = /^erasure\/(?!.*"(appliedAtMs|complete)":)/
  for (const when of ['before', 'between', 'open', 'after'] as const) {
    const hundred = names(`leaves-${when}`, 100)
    await sendFor(hundred)
    await auth.stop()
    const statuses: unknown[] = []
    await dieAt(world, { record: accepted, when }, async (url) => {
      const answer = await erase(hundred, url).catch(() => undefined)
      statuses.push(answer?.status)
    })
    expect(statuses).toEqual([undefined])
    auth = await world.replica('auth')
    // Without a response the client retries. A committed erasure needs no retry.
    const again = when === 'after' ? undefined : await erase(hundred)
    expect([undefined, 201]).toContain(again?.status)
    // Waits, because the next replica could die while it continues this erasure.
    await pollUntil(areApplied, { deadlineMs: 60_000, what: 'every erasure applied' })
    gone.push(...hundred)
  }
  const open = await peopleIn('after-kills')
  expect(open).toEqual(new Set(stayers))
  const keys = new Set((await own.reader.read('weir.keys')).map(({ key }) => key?.toString('utf8')))
  expect([...keys].some((key) => key?.endsWith('/tree.0'))).toBe(true)
}, 300_000)
