// Invalid records in an input topic, not written by ingest. Each is dead-lettered, still encrypted. All other records
// are derived in order (docs/architecture.md 4).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTransactor } from '@weir/kafka'
import { frame, unframe } from '@weir/schema-registry'
import type { AddressedRecord, OutRecord, SourceRecord } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import type { Contract } from '@weir/contracts'
import { asObject, compiledExample, exampleEvent } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { openSceneApart } from '../support/scene.ts'
import type { ApartScene } from '../support/scene.ts'
import { stored } from '../support/stored-events.ts'
import type { Stored } from '../support/stored-events.ts'

let scene: ApartScene
let input: TestStream
let derived: TestStream
const within = { deadlineMs: 60_000, everyMs: 50 }
const people = Array.from({ length: 12 }, (_, index) => `person-${index}`)

beforeAll(async () => {
  scene = await openSceneApart()
  await scene.account.contract('demo_v1')
  await scene.account.contract('clickstream')
  input = await scene.account.input('in')
  derived = await scene.output('in', 'out', { consentLevels: [2] })
})

afterAll(() => scene.close(), 30_000)

const sendAll = async (from: number): Promise<void> => {
  for (const [index, person] of people.entries())
    await scene.send(input, 'demo_v1', {
      ...(await exampleEvent('demo_v1')),
      consistent_value: person,
      not_sensitive_value: { string: `number ${from + index}` },
    })
}

const storedIn = async ({ topic }: TestStream): Promise<Stored[]> =>
  (await scene.topics.read(topic)).map(stored)

const deadRecords = (): Promise<SourceRecord[]> => scene.topics.read(`${derived.topic}.dead`)

async function deadCounted(): Promise<number> {
  const text = await (await fetch(`${scene.world.output.adminUrl}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line.startsWith('svc_output_dead_total{'))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

/** Writes to the input's topic like a client that may write, but isn't ingest. */
async function writeForeign(records: readonly AddressedRecord[]): Promise<void> {
  const transactor = createTransactor(scene.topics.kafka, {
    transactionalId: `foreign.${input.topic}`,
    timeoutMs: 10_000,
  })
  await transactor.fence()
  await transactor.transaction((transaction) => transaction.send(records))
  await transactor.close()
}

/** Returns invalid records, each with its expected error code. */
function poison(
  good: SourceRecord,
  strangersKeyLink: Buffer,
  contract: Contract,
): [code: string, OutRecord][] {
  const { key, headers, timestampMs } = good
  const value = good.value ?? Buffer.alloc(0)
  const { schemaId, payload } = unframe(value)
  const like = { key, value, headers, timestampMs }
  const event = contract.decode(payload)
  const meta = { ...asObject(event['svcMeta']), timestamp: timestampMs - 64 * 86_400_000 }
  const ofThePast = contract.encode({ ...event, svcMeta: meta })
  const withHeaders = (more: Record<string, Buffer | string>) => ({
    ...like,
    headers: { ...headers, ...more },
  })
  return [
    ['corrupt', withHeaders({ 'svc-key-link': strangersKeyLink })],
    ['corrupt', withHeaders({ 'svc-key-link': 'no key link' })],
    ['corrupt', { ...like, headers: {} }],
    ['corrupt', { ...like, value: null }],
    ['unknown_contract', withHeaders({ 'svc-schema-id': Buffer.from([0xff, 0, 0xfe]) })],
    ['unknown_contract', withHeaders({ 'svc-schema-id': 'nobody-made-it' })],
    ['corrupt', withHeaders({ 'svc-schema-id': 'clickstream' })],
    ['corrupt', { ...like, value: frame(schemaId + 1_000_000, payload) }],
    ['not_framed', { ...like, value: Buffer.from('{"an":"event"}') }],
    ['not_framed', { ...like, value: Buffer.alloc(0) }],
    ['undecodable', { ...like, value: value.subarray(0, -5) }],
    ['undecodable', { ...like, value: Buffer.concat([value, Buffer.from('more')]) }],
    // The time is more than a month ago, before the stream was created.
    ['no_such_era', { ...like, value: frame(schemaId, ofThePast) }],
  ]
}

test('poison of every kind amid good events is dead-lettered; no other event loses its place', async () => {
  // Given people in several partitions, and invalid records for one person's partition
  await sendAll(0)
  await scene.untilDerived(input, 'out')
  const records = await storedIn(input)
  const [victim] = records
  const stranger = records.find(({ key }) => key !== victim?.key)
  if (victim === undefined || stranger === undefined) throw new Error('there is nobody')
  const { partition } = victim.record
  const strangersKeyLink = stranger.record.headers['svc-key-link'] ?? Buffer.alloc(16)
  const bad = poison(victim.record, strangersKeyLink, await compiledExample('demo_v1'))

  // When the invalid records are written, between two valid records with an empty key, and events continue
  const keyless = { ...asOut(victim.record), key: Buffer.alloc(0) }
  const foreign = [keyless, ...bad.map(([, record]) => record), keyless]
  await writeForeign(foreign.map((record) => ({ ...record, topic: input.topic, partition })))
  await sendAll(100)
  await scene.untilDerived(input, 'out')

  // Then all valid records are derived, in order, and all others are dead-lettered, in order
  const all = await scene.topics.read(input.topic)
  const dead = await deadRecords()
  expect(dead.map((record) => textOf(record, 'svc-error'))).toEqual(bad.map(([code]) => code))
  const placesOfDead = dead.map((record) => textOf(record, 'svc-source'))
  const placesOf = ({ partition: of, offset }: SourceRecord) => `${input.topic}/${of}/${offset}`
  const places = all.map(placesOf)
  expect(places.filter((place) => placesOfDead.includes(place))).toEqual(placesOfDead)
  const derivedFrom = (await scene.topics.read(derived.topic)).map((record) =>
    textOf(record, 'svc-source'),
  )
  expect(derivedFrom).toEqual(places.filter((place) => !placesOfDead.includes(place)))

  // each dead letter is unchanged, and in the partition with the same number
  const sources = new Map(all.map((record) => [placesOf(record), record]))
  for (const record of dead) {
    const { 'svc-source': _, 'svc-error': _code, 'svc-time': time, ...headers } = record.headers
    const { key, value, timestampMs, ...from } =
      sources.get(textOf(record, 'svc-source')) ?? victim.record
    expect(record).toMatchObject({ partition: from.partition, key, value })
    expect(time?.toString()).toBe(`${timestampMs}`)
    expect(headers).toEqual(from.headers)
  }

  // counted, and logged without values
  await pollUntil(async () => (await deadCounted()) === bad.length, within)
  // The log has one line per second for each partition.
  const isSaid = (line: string) =>
    line.includes('were dead-lettered') && line.includes('unknown_contract')
  await pollUntil(() => scene.world.logLines().some(isSaid), within)
  for (const line of scene.world.logLines())
    expect(line).not.toMatch(/person-|unique-1|sensitive|number \d|nobody-made-it/)
})

const asOut = ({ key, value, headers, timestampMs }: SourceRecord): OutRecord => ({
  key,
  value,
  headers,
  timestampMs,
})

const textOf = ({ headers }: SourceRecord, name: string): string => headers[name]?.toString() ?? ''
