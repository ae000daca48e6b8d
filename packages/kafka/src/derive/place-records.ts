// Where each derived record goes, and what is kept of a dead one: key, value, headers and time of the input
// record as they are, and two headers more. What would not fit is left out; the header `svc-source` says where
// all of it lies. It decides nothing about records, and sends nothing.
import { isDead } from './derivation.ts'
import type { Derived, DeriveOptions } from './derivation.ts'
import type { AddressedRecord } from '../protocol/out-record.ts'
import { batchBytesMaxOf, bodyBytesOf } from '../protocol/record-batch.ts'
import type { SourceRecord } from '../protocol/source-record.ts'
import { SVC_ERROR, SVC_SOURCE, writeSource } from './svc-source.ts'

/** What becomes of an input record: the outcome that counts, and what is written for it. */
export type Placed = {
  readonly offset: bigint
  readonly outcome: Derived
  readonly out: AddressedRecord | undefined
}

export type PlacedTopics = Pick<DeriveOptions, 'inputTopic' | 'outputTopic' | 'deadLetterTopic'>

// As auth makes the topics of streams.
const BATCH_BYTES_MAX = 4_194_304
// Up to here there is no need to count: what else belongs to a record of ours is far smaller.
const SURELY_FITS_BYTES = BATCH_BYTES_MAX - 262_144

/** `refusals`: how many forms of it Kafka has refused already; each time there is less of it. */
export function placeRecord(
  topics: PlacedTopics,
  record: SourceRecord,
  { derived, refusals }: { derived: Derived; refusals: number },
): Placed {
  const { offset, partition } = record
  if (derived === undefined) return { offset, outcome: undefined, out: undefined }
  const source = writeSource({ topic: topics.inputTopic, partition, offset })
  if (isDead(derived)) {
    const out = { ...deadForm(record, source, { code: derived.dead, refusals }), partition }
    return { offset, outcome: derived, out: { ...out, topic: topics.deadLetterTopic } }
  }
  const headers = { ...derived.headers, [SVC_SOURCE]: source }
  const out = { ...derived, topic: topics.outputTopic, partition, headers }
  if (refusals === 0 && fits(out)) return { offset, outcome: derived, out }
  const dead = { derived: { dead: 'too_large' }, refusals: Math.max(0, refusals - 1) }
  return placeRecord(topics, record, dead)
}

type Form = Omit<AddressedRecord, 'topic' | 'partition'>

function deadForm(
  record: SourceRecord,
  source: string,
  { code, refusals }: { code: string; refusals: number },
): Form {
  const { key, value, timestampMs } = record
  const own = { [SVC_SOURCE]: source, [SVC_ERROR]: code }
  const headers = { ...record.headers, ...own }
  const whole = { key, value, headers, timestampMs }
  const withoutValue = { ...whole, value: null }
  const bare = { key: null, value: null, headers: own }
  return [whole, withoutValue].slice(refusals).find(fits) ?? bare
}

function fits(record: Form): boolean {
  const { key, value, headers = {}, timestampMs = 0 } = record
  const isShort = (value?.length ?? 0) + (key?.length ?? 0) < SURELY_FITS_BYTES
  if (isShort && !(SVC_ERROR in headers)) return true
  const whole = { key, value, headers, timestampMs }
  return batchBytesMaxOf([{ record: whole, bodyBytes: bodyBytesOf(whole) }], 0) <= BATCH_BYTES_MAX
}
