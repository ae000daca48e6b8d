// A record in an input topic that no ingest wrote: it is never opened or passed on, its partition waits with an
// alert, and everything else goes on (docs/keys.md, A sealed field).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createBatchProducer } from '@weir/kafka'
import type { SourceRecord } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import { exampleEvent } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { openScene } from './support/scene.ts'
import type { Scene } from './support/scene.ts'
import { stored } from './support/stored-events.ts'
import type { Stored } from './support/stored-events.ts'

let scene: Scene
let input: TestStream
let derived: TestStream
let other: { input: TestStream; derived: TestStream }
const within = { deadlineMs: 20_000, everyMs: 50 }

beforeAll(async () => {
  scene = await openScene()
  await scene.account.contract('demo_v1')
  input = await scene.account.input('in')
  derived = await scene.output('in', 'out', { consentLevels: [2] })
  other = {
    input: await scene.account.input('other-in'),
    derived: await scene.output('other-in', 'other-out', { consentLevels: [2] }),
  }
}, 60_000)

afterAll(() => scene.close(), 30_000)

const send = async (stream: TestStream, person: string, number: number): Promise<void> =>
  scene.send(stream, 'demo_v1', {
    ...(await exampleEvent('demo_v1')),
    consistent_value: person,
    not_sensitive_value: { string: `number ${number}` },
  })

const storedIn = async ({ topic }: TestStream): Promise<Stored[]> =>
  (await scene.topics.read(topic)).map(stored)

/** How many rounds of derivers have failed with this code. */
async function failures(code: string): Promise<number> {
  const text = await (await fetch(`${scene.world.output.adminUrl}/metrics`)).text()
  const isOurs = (line: string) =>
    line.startsWith('svc_output_derive_failures_total{') && line.includes(`code="${code}"`)
  return Number(text.split('\n').find(isOurs)?.split(' ').at(-1) ?? 0)
}

/** A record like this one, but said to be of somebody else: its fields can't be opened. */
async function forge(record: SourceRecord, keyLink: Buffer): Promise<void> {
  const producer = createBatchProducer(scene.topics.kafka, {
    produceTimeoutMs: 5_000,
    inFlightBytesMax: 1_000_000,
  })
  await producer.send(input.topic, record.partition, {
    key: record.key ?? Buffer.alloc(0),
    value: record.value ?? Buffer.alloc(0),
    headers: { ...record.headers, 'svc-key-link': keyLink },
    timestampMs: record.timestampMs,
  })
  await producer.close()
}

test('a forged record is neither passed nor opened; other partitions and streams go on', async () => {
  // Given people in several partitions, and a record of one with another's keyLink
  const people = Array.from({ length: 12 }, (_, index) => `person-${index}`)
  for (const [index, person] of people.entries()) await send(input, person, index)
  await scene.untilDerived(input, 'out')
  const records = await storedIn(input)
  const [victim] = records
  const stranger = records.find(({ key }) => key !== victim?.key)
  if (victim === undefined || stranger === undefined) throw new Error('there is nobody')
  const { partition } = victim.record

  // When it is written to the victim's partition, and events go on to all
  await forge(victim.record, stranger.record.headers['svc-key-link'] ?? Buffer.alloc(16))
  for (const [index, person] of people.entries()) await send(input, person, 100 + index)
  await send(other.input, 'somebody', 999)

  // Then all partitions but that one go on, and so does the other stream
  const isBlocked = ({ record }: Stored) => record.partition === partition
  const all = await storedIn(input)
  const goingOn = all.filter((item) => !isBlocked(item)).length
  const hasGoneOn = async () =>
    (await storedIn(derived)).filter((item) => !isBlocked(item)).length === goingOn
  expect(goingOn).toBeGreaterThan(0)
  await pollUntil(hasGoneOn, { ...within, what: 'the other partitions' })
  await scene.untilDerived(other.input, 'other-out')
  expect((await storedIn(other.derived)).map(({ number }) => number)).toEqual([999])

  // and of the blocked one nothing from the forged record on is there, however often it is tried
  const failedBefore = await failures('corrupt')
  const hasTriedAgain = async () => (await failures('corrupt')) > failedBefore + 1
  await pollUntil(hasTriedAgain, { ...within, what: 'another try' })
  const blocked = (await storedIn(derived)).filter(isBlocked).map(({ source }) => source)
  expect(blocked).toEqual(records.filter(isBlocked).map(({ place }) => place))
  const says = scene.world.logLines().filter((line) => line.includes('a partition waits'))
  expect(says.length).toBeGreaterThan(0)
  for (const line of says) {
    expect(JSON.parse(line)).toMatchObject({
      stream: derived.topic,
      partition,
      err: { code: 'corrupt' },
    })
    expect(line).not.toMatch(/person-|unique-1|sensitive|number \d/)
  }
}, 90_000)
