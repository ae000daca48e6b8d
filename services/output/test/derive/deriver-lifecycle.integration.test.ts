// A deriver from its stream's creation to its deletion: where it starts, when it waits, and what remains afterwards
// (docs/architecture.md 3, 11).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { expectStatus, freshName, inSoak } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { makeEvents, withConsent } from '../support/many-events.ts'
import type { SentEvent } from '../support/many-events.ts'
import { openScene } from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'
import { sendAll } from '../support/send-all.ts'
import { stored } from '../support/stored-events.ts'

let scene: Scene
let input: TestStream
const within = { deadlineMs: 60_000, everyMs: 50 }

beforeAll(async () => {
  scene = await openScene()
  await scene.account.contracts()
})

beforeEach(async () => {
  input = await scene.account.input(freshName('in'))
})

afterAll(() => scene.close(), 30_000)

const makeOutput = (more: object = {}) =>
  scene.output(input.name, freshName('out'), { consentLevels: [0], ...more })

const pathOf = (output: TestStream) => `/v2/streams/${input.name}/outputs/${output.name}`

const change = async (method: string, path: string, body?: unknown) =>
  expectStatus(await scene.account.call(method, path, body), 200)

/** Creates numbered events, from `first` on, with consent for level 0. */
const eventsFrom = (first: number, count: number): SentEvent[] =>
  makeEvents(first + count, 20, 14)
    .slice(first)
    .map((event) => withConsent(event, [0]))

async function send(events: readonly SentEvent[]): Promise<void> {
  const { url: ingestUrl } = scene.world.ingest
  const token = await scene.tokenOf(input)
  await sendAll(events, { ingestUrl, token, connections: 1, streams: 20 })
}

async function numbersIn(output: TestStream): Promise<number[]> {
  await scene.untilDerived(input, output.name, 50_000)
  const records = await scene.topics.read(output.topic)
  return records.map((record) => stored(record).number).toSorted((a, b) => a - b)
}

const numbersOf = (events: readonly SentEvent[]) => events.map(({ number }) => number)

describe('a new derived stream', () => {
  test('gets what is sent right after its 201, and nothing that was stored before', async () => {
    await send(eventsFrom(0, 20))
    const output = await makeOutput()
    const after = eventsFrom(20, 20)
    await send(after)
    expect(await numbersIn(output)).toEqual(numbersOf(after))
  })

  test('from earliest gets everything the input still holds, and what comes after', async () => {
    const before = eventsFrom(0, 40)
    await send(before)
    const output = await makeOutput({ from: 'earliest' })
    const after = eventsFrom(40, 10)
    await send(after)
    expect(await numbersIn(output)).toEqual(numbersOf([...before, ...after]))
  })
})

describe('a disabled derived stream', () => {
  test('derives nothing, and once it is enabled everything that came meanwhile, once', async () => {
    const [output, witness] = [await makeOutput(), await makeOutput()]
    const events = [eventsFrom(0, 20), eventsFrom(20, 20), eventsFrom(40, 20)]
    await send(events[0] ?? [])
    expect(await numbersIn(output)).toHaveLength(20)
    await change('PATCH', pathOf(output), { enabled: false })
    await send(events[1] ?? [])
    expect(await numbersIn(witness)).toHaveLength(40)
    expect(await scene.topics.read(output.topic)).toHaveLength(20)
    await change('PATCH', pathOf(output), { enabled: true })
    await send(events[2] ?? [])
    expect(await numbersIn(output)).toEqual(numbersOf(events.flat()))
  })
})

test('a backfill, paused and resumed while events flow, loses and doubles none and keeps their order', async () => {
  // Given
  await send(eventsFrom(0, 400))
  let sent = 400
  let isFlowing = true
  const flow = async (): Promise<void> => {
    for (; isFlowing; sent += 40) await send(eventsFrom(sent, 40))
  }
  const flowing = flow()
  const untilMoreWereSent = async () => {
    const goal = sent + 80
    await pollUntil(() => sent >= goal, { ...within, what: 'more events' })
  }

  // When
  const output = await makeOutput({ from: 'earliest' })
  for (let round = 0; round < 3; round += 1) {
    await change('PATCH', pathOf(output), { enabled: false })
    await untilMoreWereSent()
    await change('PATCH', pathOf(output), { enabled: true })
    await untilMoreWereSent()
  }
  isFlowing = false
  await flowing

  // Then
  await scene.untilDerived(input, output.name)
  const places = (await scene.topics.read(input.topic)).map(
    ({ partition, offset }) => `${input.topic}/${partition}/${offset}`,
  )
  const derived = await scene.topics.read(output.topic)
  expect(places).toHaveLength(sent)
  expect(derived.map(({ headers }) => headers['svc-source']?.toString())).toEqual(places)
})

describe('a deleted derived stream', () => {
  const isGone = async (output: TestStream): Promise<boolean> => {
    const { admin } = scene.topics
    const topics = [output.topic, `${output.topic}.dead`]
    const there = await Promise.all(topics.map((topic) => admin.topics.exists(topic)))
    if (there.includes(true)) return false
    const groupId = `weir.${scene.account.billingId}.${output.name}`
    return (await admin.groups.delete(groupId).catch(() => 'in use')) === 'absent'
  }

  test('leaves neither group nor topics, and others go on', async () => {
    const [output, witness] = [await makeOutput(), await makeOutput()]
    const events = eventsFrom(0, 40)
    await send(events.slice(0, 20))
    await scene.untilDerived(input, output.name)
    await change('DELETE', pathOf(output))
    await pollUntil(() => isGone(output), { ...within, deadlineMs: 60_000, what: 'the clean-up' })
    await send(events.slice(20))
    expect(await numbersIn(witness)).toEqual(numbersOf(events))
  })

  inSoak(() => {
    test('gives its name to another one that begins anew', async () => {
      const name = freshName('out')
      const first = await scene.output(input.name, name, { consentLevels: [0] })
      await send(eventsFrom(0, 20))
      await scene.untilDerived(input, name)
      await change('DELETE', pathOf(first))
      const isMade = () =>
        scene.output(input.name, name, { consentLevels: [0] }).then(
          () => true,
          () => false, // the name is not free yet
        )
      await pollUntil(isMade, { deadlineMs: 60_000, everyMs: 500, what: 'the name to be free' })
      const after = eventsFrom(20, 20)
      await send(after)
      expect(await numbersIn(first)).toEqual(numbersOf(after))
    })
  })
})

// This must be the last test, because no event of the contract is accepted after it.
test('a derived stream from earliest gets events of a contract that is archived by now', async () => {
  const events = eventsFrom(0, 20)
  await send(events)
  await change('POST', '/v2/contracts/demo_v1/archive')
  const output = await makeOutput({ from: 'earliest' })
  expect(await numbersIn(output)).toEqual(numbersOf(events))
  const [event] = events.filter(({ schemaId }) => schemaId === 'demo_v1')
  await expect(send(event ? [event] : [])).rejects.toThrow("400 Unknown schema id: 'demo_v1'")
})
