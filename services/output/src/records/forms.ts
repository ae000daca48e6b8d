// Builds the record to write for an input record: a derived record, or a dead letter. A dead letter has the input
// record's key, value, headers and time, and three more headers. Parts that would not fit are left out; the header
// `svc-source` says where the whole record is.
import { timeHeader, writeTime } from '@weir/contracts'
import { batchBytesMaxOf, encodeRecord } from '@weir/kafka'
import type { BatchRecord, EncodedRecord, OutRecord, SourceRecord } from '@weir/kafka'
import { SVC_ERROR, SVC_SOURCE, writeOrigin } from './headers.ts'
import type { Origin } from './headers.ts'

// The limit that auth sets for the topics of streams.
const BATCH_BYTES_MAX = 4_194_304

/** Returns whether a topic accepts the record. */
export const fits = (record: EncodedRecord): boolean =>
  batchBytesMaxOf([record], 0) <= BATCH_BYTES_MAX

/** Brokers replace `timestampMs` with the time of the append. */
export const derivedForm = (
  source: Origin,
  { key, value, headers, timestampMs = Date.now() }: OutRecord,
): BatchRecord => ({
  key,
  value,
  headers: { ...headers, [SVC_SOURCE]: writeOrigin(source) },
  timestampMs,
})

/** `refusals`: how many forms of the record Kafka has refused. Each further form contains less. */
export function deadLetterForm(
  source: Origin,
  { key, value, headers, timestampMs }: SourceRecord,
  { code, refusals }: { readonly code: string; readonly refusals: number },
): EncodedRecord {
  const own = {
    [SVC_SOURCE]: writeOrigin(source),
    [SVC_ERROR]: code,
    [timeHeader]: writeTime(timestampMs),
  }
  const whole = { key, value, headers: { ...headers, ...own }, timestampMs }
  const bare = { key: null, value: null, headers: own, timestampMs: Date.now() }
  const forms = [whole, { ...whole, value: null }].slice(refusals).map(encodeRecord)
  return forms.find(fits) ?? encodeRecord(bare)
}
