// Compares an input topic with the ledger. Acknowledged events must be stored once, and refused events never. All
// fields except the encrypted personal ones must be as sent. Each person's events must be in order.
import type { SourceRecord } from '@weir/kafka'

import { piiOf, plainEventOf, putAt, plainValueAt } from '../events.ts'
import type { Kind } from '../events.ts'
import type { Ledger, Sent } from '../ledger.ts'
import type { TorturePeople } from '../people.ts'
import type { TestInput } from '../streams.ts'
import { isForeign } from '../world/strangers.ts'
import { asObject } from '@weir/testkit'
import { recordPlaceOf, readStored } from './stored.ts'
import type { Stored } from './stored.ts'
import type { Violations } from './violations.ts'

export type InputCheck = {
  /** Takes the records of each partition in order, and the partitions in any order. */
  take(record: SourceRecord): void
  /** Must be called after the last record. */
  finish(): void
  /** The number of persons with events in more than one epoch. */
  personsOfSeveralEpochs(): number
}

type CheckDeps = {
  kinds: readonly Kind[]
  ledger: Ledger
  people: Pick<TorturePeople, 'keysMax'>
  violations: Violations
}

const hourMs = 3_600_000

export function createInputCheck(deps: CheckDeps, stream: TestInput): InputCheck {
  const { kinds, ledger, violations } = deps
  const places = new Map<number, string>()
  const keys = createKeyCheck(deps, stream)

  const takeEvent = (record: SourceRecord, stored: Stored, event: Sent): void => {
    const place = recordPlaceOf(stream.topic, record)
    const before = places.get(event.number)
    if (before !== undefined) violations.add('doubled', place, `is ${before} once more`)
    places.set(event.number, place)
    if (event.outcome === 'refused')
      violations.add('refused-but-stored', place, `event ${event.number} was refused`)
    checkContent({ violations, place }, { record, stored, event })
    keys.take(record, event)
  }

  return {
    take(record) {
      if (isForeign(record)) return
      const stored = readStored(kinds, record)
      const event = stored?.number === undefined ? undefined : ledger.find(stored.number)
      if (stored === undefined || event?.stream !== stream.name)
        violations.add(
          'unknown-record',
          recordPlaceOf(stream.topic, record),
          'nobody sent this here',
        )
      else takeEvent(record, stored, event)
    },
    finish() {
      for (const { number, stream: name, outcome } of ledger.all()) {
        if (name !== stream.name || outcome !== 'acknowledged' || places.has(number)) continue
        violations.add('lost', stream.topic, `event ${number} was acknowledged and is not there`)
      }
    },
    personsOfSeveralEpochs: keys.personsOfSeveralEpochs,
  }
}

type Content = { record: SourceRecord; stored: Stored; event: Sent }

function checkContent(
  { violations, place }: { violations: Violations; place: string },
  { record, stored, event }: Content,
): void {
  const pii = piiOf(event)
  for (const [path, value] of pii) {
    const sealed = plainValueAt(stored.plain, path)
    if (value === null ? sealed !== null : typeof sealed !== 'string' || sealed === value)
      violations.add(value === null ? 'changed' : 'not-sealed', place, `the field ${path}`)
    if (value !== null && record.value?.includes(value))
      violations.add('not-sealed', place, `holds the value of ${path} in the clear`)
  }
  if (stored.kind !== event.kind) return violations.add('changed', place, 'has another contract')
  const meta = asObject(stored.plain['svcMeta'])
  if (Number(meta['timestamp']) !== record.timestampMs || meta['keyLink'] === null)
    violations.add('changed', place, 'its envelope is not filled in as its record is')
  if (withoutStamps(plainEventOf(event), pii.keys()) !== withoutStamps(stored.plain, pii.keys()))
    violations.add('changed', place, `event ${event.number} was sent otherwise`)
}

/** Returns the event as text, without personal fields and without the fields that ingest sets. */
function withoutStamps(plain: Record<string, unknown>, paths: Iterable<string>): string {
  const copy: Record<string, unknown> = structuredClone(plain)
  for (const path of paths) putAt(copy, path, null)
  const { consentLevels } = asObject(copy['svcMeta'])
  return JSON.stringify({ ...copy, svcMeta: { consentLevels } })
}

/**
 * Checks that a person has one key per epoch, except after erasures and withdrawals. Each key must belong to one person
 * and one partition, and its events must be in order.
 */
function createKeyCheck({ violations, people }: CheckDeps, { topic, rotationHours }: TestInput) {
  const keysOf = new Map<string, Set<string>>()
  const known = new Map<string, { person: string; partition: number; last: number }>()
  const epochs = new Map<string, Set<number>>()

  const take = (record: SourceRecord, event: Sent): void => {
    const { person, number, outcome } = event
    const place = recordPlaceOf(topic, record)
    const key = record.key?.toString('utf8') ?? ''
    if (key.replaceAll('-', '') !== record.headers['svc-key-link']?.toString('hex'))
      violations.add('wrong-key', place, 'its key is not its keyLink')
    const epoch = Math.floor(record.timestampMs / (rotationHours * hourMs))
    epochs.set(person, (epochs.get(person) ?? new Set()).add(epoch))
    const ofEpoch = `${epoch} ${person}`
    const keys = (keysOf.get(ofEpoch) ?? new Set()).add(key)
    if (keys.size > people.keysMax(event))
      violations.add('wrong-key', place, 'its person has too many keys in one epoch')
    keysOf.set(ofEpoch, keys)
    const before = known.get(key) ?? { person: ofEpoch, partition: record.partition, last: -1 }
    if (before.person !== ofEpoch || before.partition !== record.partition)
      violations.add('wrong-key', place, 'its key stands for two persons, or is in two partitions')
    // An event without a response may have been stored after the next one.
    if (outcome === 'acknowledged' && number < before.last)
      violations.add('order', place, `event ${number} lies after event ${before.last}`)
    known.set(key, { ...before, last: outcome === 'acknowledged' ? number : before.last })
  }
  return {
    take,
    personsOfSeveralEpochs: () => [...epochs.values()].filter(({ size }) => size > 1).length,
  }
}
