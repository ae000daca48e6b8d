// Builds correct topics, so that each test can corrupt one record. A hash replaces encryption.
import { createHash } from 'node:crypto'

import type { SourceRecord } from '@weir/kafka'

import { checkDerived } from '../src/check/check-derived.ts'
import { createInputCheck } from '../src/check/check-input.ts'
import { createViolations } from '../src/check/violations.ts'
import {
  decode,
  loadKinds,
  personNamed,
  piiOf,
  plainEventOf,
  putAt,
  plainValueAt,
} from '../src/events.ts'
import type { Kind } from '../src/events.ts'
import { createLedger } from '../src/ledger.ts'
import { createPeople } from '../src/people.ts'
import type { SendOutcome, Sent } from '../src/ledger.ts'
import { opens, passes } from '../src/streams.ts'
import type { TestOutput, TestInput, OutputLevels } from '../src/streams.ts'
import { asObject } from '@weir/testkit'

const kinds = await loadKinds()
const input: TestInput = { name: 'in', topic: 'a.in', partitions: 1, rotationHours: 24 }

const timestampMs = Date.UTC(2026, 10, 21, 12)
const FRAME = Buffer.from([0, 0, 0, 0, 7])

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest().subarray(0, 16)

export function derivedStream(levels: OutputLevels, more: Partial<TestOutput> = {}): TestOutput {
  const start = [{ earliest: 0n, latest: 0n }]
  return { name: 'out', topic: 'a.out', groupId: 'g', input, levels, start, gaps: [], ...more }
}

export type Events = { ledger: ReturnType<typeof createLedger>; records: SourceRecord[] }

/**
 * Creates events of three persons, all acknowledged and stored in order. Consent grows from event to event, from no
 * level to levels 0 to 3, repeatedly.
 */
export function makeEvents(count = 40): Events {
  const ledger = createLedger()
  const records: SourceRecord[] = []
  for (let number = 0; number < count; number += 1) {
    const kind = kindAt(number)
    const consentLevels = [0, 1, 2, 3].slice(0, number % 5)
    const person = personNamed('in', number % 3)
    const event = ledger.open({ kind, stream: 'in', person, consentLevels })
    Object.assign(event, { outcome: 'acknowledged', answeredMs: event.sentMs })
    records.push(recordOf(event, BigInt(number)))
  }
  return { ledger, records }
}

function kindAt(number: number): Kind {
  const kind = kinds[number % kinds.length]
  if (kind === undefined) throw new Error('there are no kinds')
  return kind
}

export function recordOf(event: Sent, offset: bigint): SourceRecord {
  const plain = plainEventOf(event)
  for (const [path, value] of piiOf(event))
    if (value !== null) putAt(plain, path, hashOf(value).toString('base64'))
  const keyLink = hashOf(event.person)
  const meta = asObject(plain['svcMeta'])
  meta['timestamp'] = timestampMs
  meta['keyLink'] = event.kind.name === 'demo_event' ? keyLink.toString('hex') : 5
  return {
    partition: 0,
    offset,
    timestampMs,
    key: Buffer.from(keyLink.toString('hex')),
    value: framed(event.kind, plain),
    headers: { 'svc-schema-id': Buffer.from(event.kind.id), 'svc-key-link': keyLink },
  }
}

export const framed = (kind: Kind, plain: Record<string, unknown>): Buffer =>
  Buffer.concat([FRAME, kind.type.toBuffer(plain)])

/** Returns the records that must be derived from the events. Their offsets have gaps, as after transaction markers. */
export function derive({ ledger, records }: Events, levels: OutputLevels): SourceRecord[] {
  return records.flatMap((record, index) => {
    const event = ledger.find(Number(record.offset))
    if (event === undefined || !passes(levels, event.consentLevels)) return []
    return [openedRecord(event, record, { levels, offset: BigInt(index * 2) })]
  })
}

export function openedRecord(
  event: Sent,
  record: SourceRecord,
  { levels, offset }: { levels: OutputLevels; offset: bigint },
): SourceRecord {
  const plain = decode(event.kind, record.value?.subarray(FRAME.length) ?? FRAME)
  const pii = piiOf(event)
  for (const [path, level] of event.kind.levels)
    if (opens(levels, level)) putAt(plain, path, pii.get(path))
  const source = Buffer.from(`a.in/0/${record.offset}`)
  const time = Buffer.from(`${record.timestampMs}`)
  const headers = { ...record.headers, 'svc-time': time, 'svc-source': source }
  const derivedMs = record.timestampMs + 60_000
  return { ...record, offset, timestampMs: derivedMs, value: framed(event.kind, plain), headers }
}

export function inputSorts({ ledger, records }: Events): string[] {
  const violations = createViolations()
  const people = createPeople(ledger)
  const check = createInputCheck({ kinds, ledger, people, violations }, input)
  for (const record of records) check.take(record)
  check.finish()
  return Object.keys(violations.counts())
}

export function derivedSorts(
  { ledger, records }: Pick<Events, 'ledger' | 'records'>,
  stream: TestOutput,
  derived: readonly SourceRecord[],
  people = createPeople(ledger),
): string[] {
  const violations = createViolations()
  const pair = { partition: 0, input: records, derived }
  checkDerived({ kinds, ledger, people, violations }, stream, pair)
  return Object.keys(violations.counts())
}

/** Returns the derived record with the fields at these paths encrypted, as in its source. */
export function closedRecord(
  event: Sent,
  { record, source }: { record: SourceRecord; source: SourceRecord },
  paths: readonly string[],
): SourceRecord {
  const plain = decode(event.kind, record.value?.subarray(FRAME.length) ?? FRAME)
  const stored = decode(event.kind, source.value?.subarray(FRAME.length) ?? FRAME)
  for (const path of paths) putAt(plain, path, plainValueAt(stored, path))
  const headers = { ...record.headers, 'svc-undecryptable': Buffer.from(paths.join(',')) }
  return { ...record, value: framed(event.kind, plain), headers }
}

export function withOutcome(events: Events, number: number, outcome: SendOutcome): void {
  const event = events.ledger.find(number)
  if (event !== undefined) event.outcome = outcome
}

export function at<T>(items: readonly T[], index: number): T {
  const [item] = items.slice(index)
  if (item === undefined) throw new Error(`nothing at ${index}`)
  return item
}
