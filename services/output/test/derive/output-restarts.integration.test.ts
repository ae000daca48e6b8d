// Replicas of output that are killed, stopped and added while events flow. Every event is derived exactly once
// (docs/architecture.md 4), and watching clients are notified.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { delay, pollUntil } from '@weir/kit'
import { freshName, inSoak, listen, scale, within } from '@weir/testkit'
import type { TestStream, World } from '@weir/testkit'
import { makeEvents } from '../support/many-events.ts'
import { openSceneApart } from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'
import { sendAll } from '../support/send-all.ts'
import { stored } from '../support/stored-events.ts'

type Replica = World['output']

let scene: ApartScene
let input: TestStream
let output: TestStream

beforeAll(async () => {
  scene = await openSceneApart()
  await scene.account.contracts()
  input = await scene.account.input(freshName('in'))
  output = await scene.output(input.name, freshName('out'), { consentLevels: [1] })
})

afterAll(() => scene.close(), 30_000)

/** Returns the input positions of the events that the derived topic should contain, and of those that it contains. */
async function derivedPlaces(deadlineMs?: number) {
  await scene.untilDerived(input, output.name, deadlineMs)
  const inInput = (await scene.topics.read(input.topic)).map(stored)
  const consenting = inInput.filter(({ meta }) => Object(meta['consentLevels']).includes(1))
  const derived = (await scene.topics.read(output.topic)).map(stored)
  return {
    expected: consenting.map(({ place }) => place),
    actual: derived.map(({ source }) => source),
  }
}

/** Sends events until `stop` is called. Pauses spread the events over several appends. */
function startFlow(seed: number): { stop(): Promise<void> } {
  let isFlowing = true
  const flow = async (): Promise<void> => {
    for (let round = seed; isFlowing; round += 1) {
      await send(100, round)
      await delay(50)
    }
  }
  const flowing = flow()
  return {
    async stop() {
      isFlowing = false
      await flowing
    },
  }
}

const send = async (count: number, seed: number): Promise<void> =>
  sendAll(makeEvents(count, 100, seed), {
    ingestUrl: scene.world.ingest.url,
    token: await scene.tokenOf(input),
    connections: 1,
    streams: 8,
  })

const derivedEnds = () =>
  scene.topics.admin.offsets.ends(output.topic, { isolation: 'read_uncommitted' })

/** Kills a replica while it writes: when the topic has grown between two checks. */
async function killWhileItWrites(running: Replica): Promise<void> {
  let before = await derivedEnds()
  const isGrowing = async (): Promise<boolean> => {
    const ends = await derivedEnds()
    const grows = ends.some((end, partition) => end > (before[partition] ?? 0n))
    before = ends
    return grows
  }
  await pollUntil(isGrowing, { deadlineMs: 60_000, everyMs: 1, what: 'derived records' })
  await running.kill()
}

/** The running replica. Each test leaves one for the next. */
let replica: Replica

test('killed while it writes and started again, output derives each event exactly once', async () => {
  replica = scene.world.output
  const flow = startFlow(21)
  for (let round = 0; round < scale(5, 2); round += 1) {
    await killWhileItWrites(replica)
    replica = await scene.world.replica('output')
  }
  await flow.stop()
  const { expected, actual } = await derivedPlaces()
  expect(actual).toEqual(expected)
})

inSoak(() => {
  describe('ended by SIGTERM', () => {
    test('output has left its group, and started again it derives what came meanwhile', async () => {
      await send(20, 22)
      await derivedPlaces()
      await replica.stop()
      await send(20, 23)
      // A group with a lost member could not be deleted for up to half a minute.
      const group = `weir.${scene.account.billingId}.${output.name}`
      expect(await scene.topics.admin.groups.delete(group)).toBe('deleted')
      replica = await scene.world.replica('output')
      const { expected, actual } = await derivedPlaces()
      expect(actual).toEqual(expected)
    })

    test('a replica exits in order, and its clients are told with 1012', async () => {
      const token = await scene.tokenOf(input)
      const clients = [await listen(replica.url, token), await listen(replica.url, token)]
      await send(20, 24)
      for (const client of clients) await client.until(20)
      process.kill(replica.pid, 'SIGTERM')
      for (const { closed } of clients)
        expect(await closed).toEqual({ code: 1012, reason: 'service restart' })
      // After 10 s the replica would end the shutdown early, and exit with 1.
      expect(await replica.exited).toBe(0)
      replica = await scene.world.replica('output')
    })

    test('a replica hands over at once, and each event is derived exactly once', async () => {
      const flow = startFlow(25)
      await scene.world.replica('output')
      process.kill(replica.pid, 'SIGTERM')
      expect(await replica.exited).toBe(0)
      await flow.stop()
      // The deadline is shorter than a group needs to notice the loss of a member.
      const { expected, actual } = await derivedPlaces(within(8_000))
      expect(actual).toEqual(expected)
    })
  })
})
