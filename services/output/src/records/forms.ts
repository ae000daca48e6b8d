// What is written of an input record: the derived record, or what is kept of a dead one, which is its key, value, headers and time as
// they are, and three headers more. What would not fit is left out; the header `svc-source` says where all of it lies. It
// decides nothing about records, and sends nothing.
import { timeHeader, writeTime } from '@weir/contracts'
import { batchBytesMaxOf, encodeRecord } from '@weir/kafka'
import type { BatchRecord, EncodedRecord, OutRecord, SourceRecord } from '@weir/kafka'
import { SVC_ERROR, SVC_SOURCE, writeOrigin } from './headers.ts'
import type { Origin } from './headers.ts'

// As auth makes the topics of streams.
const BATCH_BYTES_MAX = 4_194_304

/** Whether a topic takes it. */
export const fits = (record: EncodedRecord): boolean =>
  batchBytesMaxOf([record], 0) <= BATCH_BYTES_MAX

/** Brokers give it the time at which it is appended. */
export const derivedForm = (
  source: Origin,
  { key, value, headers, timestampMs = Date.now() }: OutRecord,
): BatchRecord => ({
  key,
  value,
  headers: { ...headers, [SVC_SOURCE]: writeOrigin(source) },
  timestampMs,
})

/** `refusals`: how many forms of it Kafka has refused already; each time there is less of it. */
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
