// The events on a WebSocket: each client gets every event from the moment of its connection (docs/wire-format.md
// WebSocket).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { asObject, exampleEvent, freshName, scale } from '@weir/testkit'
import type { TestListener, TestStream } from '@weir/testkit'
import { contractOfSchemaId, makeEvents, numberOf, withConsent } from '../support/many-events.ts'
import { openSceneApart } from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'
import { sendAll } from '../support/send-all.ts'
import { stored } from '../support/stored-events.ts'

let scene: ApartScene

beforeAll(async () => {
  scene = await openSceneApart({ WEBSOCKETS_PER_CREDENTIAL_MAX: '300' })
  await scene.account.contracts()
})

afterAll(() => scene.close(), 30_000)

const shownNumbers = ({ events }: TestListener): number[] =>
  events.map((event) => {
    const { schemaId, eventContractRef } = asObject(event['svcMeta'])
    return numberOf(contractOfSchemaId(String(schemaId ?? eventContractRef)), event)
  })

/** Returns the value of output's metric with this name, summed over its labels. */
async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${scene.world.output.adminUrl}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith(`${name}{`))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

type Client = { stream: TestStream; listener: TestListener; startedBefore: number }

describe('clients that connect while events flow', () => {
  const events = makeEvents(scale(2_000, 800), 400, 11)
  const rounds = 5
  let input: TestStream
  let derived: TestStream
  const started: number[] = []
  const clients: Client[] = []

  beforeAll(async () => {
    input = await scene.account.input('flow')
    derived = await scene.output('flow', 'flow-1', { consentLevels: [1] })
    const connectOne = async (stream: TestStream): Promise<void> => {
      const listener = await scene.watch(stream)
      clients.push({ stream, listener, startedBefore: started.length })
    }
    await Promise.all([connectOne(input), connectOne(derived)])
    const connecting: Promise<void>[] = []
    await sendAll(events, {
      ingestUrl: scene.world.ingest.url,
      token: await scene.tokenOf(input),
      connections: 1,
      streams: 20,
      onSend({ number }) {
        started.push(number)
        const ofRound = started.length % (events.length / rounds)
        if (ofRound === 100) connecting.push(connectOne(input), connectOne(derived))
      },
    })
    await Promise.all(connecting)
    await scene.untilDerived(input, 'flow-1')
  })

  /** Returns the events of the client's stream that were sent after the client had connected. */
  const owed = ({ stream, startedBefore }: Client): number[] =>
    started
      .slice(startedBefore)
      .filter((number) => stream === input || events[number]?.consentLevels.includes(1))

  test('see every event that was sent after they were connected', async () => {
    expect(clients).toHaveLength(2 * (rounds + 1))
    for (const client of clients) {
      const missing = (): number[] => {
        const shown = new Set(shownNumbers(client.listener))
        return owed(client).filter((number) => !shown.has(number))
      }
      const what = 'what was sent after a client was connected'
      await pollUntil(() => missing().length === 0, { deadlineMs: 60_000, what })
    }
  })

  test('see of each partition all events from some point on, in order, and none twice', async () => {
    for (const stream of [input, derived]) {
      const records = (await scene.topics.read(stream.topic)).map(stored)
      const byPartition = Map.groupBy(records, ({ record }) => record.partition)
      const partitions = [...byPartition.values()].map((own) => own.map(({ number }) => number))
      for (const { listener } of clients.filter((client) => client.stream === stream)) {
        const areWhole = (): boolean => {
          const shown = new Set(shownNumbers(listener))
          return partitions.every(
            (own) => shown.has(own.at(-1) ?? 0) || !own.some((n) => shown.has(n)),
          )
        }
        await pollUntil(areWhole, { deadlineMs: 60_000, what: 'the last event of each partition' })
        const shown = shownNumbers(listener)
        for (const own of partitions) {
          const ofPartition = shown.filter((number) => own.includes(number))
          expect(ofPartition).toEqual(own.slice(own.length - ofPartition.length))
        }
      }
    }
  })

  test('do not see what was stored before they came', () => {
    const ofInput = clients.filter(({ stream }) => stream === input)
    const counts = ofInput.map(({ listener }) => listener.events.length)
    expect(counts[0]).toBe(events.length)
    expect(counts).toEqual(counts.toSorted((a, b) => b - a))
    expect(counts.at(-1)).toBeLessThan(events.length / 2)
  })
})

test('many clients of one stream all see each event once', async () => {
  const count = scale(200, 60)
  const input = await scene.account.input('crowd')
  const listeners = await Promise.all(Array.from({ length: count }, () => scene.watch(input)))
  expect(await metric('svc_output_ws_clients')).toBeGreaterThanOrEqual(count)
  const events = makeEvents(50, 10, 12)
  await sendAll(events, {
    ingestUrl: scene.world.ingest.url,
    token: await scene.tokenOf(input),
    connections: 1,
    streams: 10,
  })
  const numbers = events.map(({ number }) => number)
  for (const listener of listeners) {
    await listener.until(events.length)
    expect(shownNumbers(listener).toSorted((a, b) => a - b)).toEqual(numbers)
    listener.close()
  }
})

test('a burst larger than what may wait for a slow client reaches a quick one whole', async () => {
  // Given a derived stream that no replica derives yet, with a client, and many events to derive
  const decrypterName = freshName('later')
  const input = await scene.account.input('burst', { partitions: 1 })
  const events = makeEvents(3_000, 300, 13).map((event) => withConsent(event, [0]))
  await sendAll(events, {
    ingestUrl: scene.world.ingest.url,
    token: await scene.tokenOf(input),
    connections: 2,
    streams: 100,
  })
  const definition = { consentLevels: [0], from: 'earliest', decrypterName }
  const listener = await scene.watch(await scene.account.output('burst', 'burst-0', definition))

  // When a replica derives the stream
  await scene.world.replica('output', { DECRYPTER_NAMES: decrypterName })

  // Then
  await listener.until(events.length)
  expect(new Set(shownNumbers(listener)).size).toBe(events.length)
})

test('a client that does not read is closed with 1013, and no other client waits for it', async () => {
  const input = await scene.account.input('slow')
  const [slow, quick] = [await scene.watch(input), await scene.watch(input)]
  slow.socket.pause()
  const event = { ...(await exampleEvent('clickstream')), userAgent: 'x'.repeat(250_000) }
  const isGivenUp = async () => (await metric('svc_output_ws_too_slow_total')) === 1
  let count = 0
  // Each batch is small enough to wait completely, and is sent when the fast client has received the previous one. So
  // this client never counts as slow, even on a slow machine.
  while (count < 120 && !(await isGivenUp())) {
    await Promise.all(Array.from({ length: 4 }, () => scene.send(input, 'clickstream', event)))
    await quick.until((count += 4))
  }
  await pollUntil(isGivenUp, { deadlineMs: 60_000, what: 'the slow client to be given up' })
  slow.socket.resume()
  expect(await slow.closed).toEqual({ code: 1013, reason: 'too slow' })
  expect(slow.events.length).toBeLessThan(count)
  await scene.send(input, 'clickstream', event)
  await quick.until(count + 1)
})
