// A record of an input stream while it is derived. It is decoded once, and derived once for all streams with the same
// levels, which write the same bytes. An outcome that can still change, such as a missing key, is never cached.
import { encodeRecord } from '@weir/kafka'
import type { EncodedRecord, OutRecord, SourceRecord } from '@weir/kafka'
import type { DeriveSource, Source } from '../derive.ts'
import { undecryptablePathsOf } from '../derive.ts'
import { reasonOf } from '../errors.ts'
import type { Reason } from '../errors.ts'
import { deadLetterForm, derivedForm, fits } from '../../records/forms.ts'

/** Derived streams of one input stream that see the same levels. */
export type Group = { readonly derive: DeriveSource }

export type InputSide = {
  /** The full name of the topic, as in `svc-source`. */
  readonly topic: string
  /** Throws the same errors as `readSource`. */
  read(record: SourceRecord): Source
}

export type Passed = {
  readonly kind: 'passed'
  readonly record: EncodedRecord
  readonly out: OutRecord
  readonly undecryptable: number
}

/** The result of deriving a record for a stream. */
export type Outcome =
  | Passed
  | { readonly kind: 'filtered' }
  | { readonly kind: 'dead'; readonly code: string }
  /** The record can't be derived yet, or can never be derived. */
  | { readonly kind: 'fault'; readonly reason: Reason; readonly error: unknown }

export type FlowReading = {
  readonly record: SourceRecord
  source: Source | undefined
  /** The group for which the record was derived first. */
  group: Group | undefined
  outcome: Outcome | undefined
  others: Map<Group, Outcome> | undefined
}

export const newReading = (record: SourceRecord): FlowReading => ({
  record,
  source: undefined,
  group: undefined,
  outcome: undefined,
  others: undefined,
})

const FILTERED: Outcome = { kind: 'filtered' }
const TOO_LARGE: Outcome = { kind: 'dead', code: 'too_large' }

export function outcomeOf(input: InputSide, group: Group, reading: FlowReading): Outcome {
  const known = reading.group === group ? reading.outcome : reading.others?.get(group)
  if (known !== undefined) return known
  const outcome = derive(input, group, reading)
  if (outcome.kind !== 'fault') keep(reading, group, outcome)
  return outcome
}

function keep(reading: FlowReading, group: Group, outcome: Outcome): void {
  if (reading.group !== undefined) {
    reading.others ??= new Map()
    reading.others.set(group, outcome)
    return
  }
  reading.group = group
  reading.outcome = outcome
}

function derive(input: InputSide, group: Group, reading: FlowReading): Outcome {
  try {
    reading.source ??= input.read(reading.record)
    const out = group.derive(reading.source)
    return out === undefined ? FILTERED : passing(input, reading.record, out)
  } catch (error) {
    return { kind: 'fault', reason: reasonOf(error), error }
  }
}

/**
 * Returns the outcome of a derived record: `passed`, or `dead` with `too_large` if no topic would accept the record.
 */
export function passing(input: InputSide, record: SourceRecord, out: OutRecord): Outcome {
  const encoded = encodeRecord(derivedForm(placeIn(input, record), out))
  if (!fits(encoded)) return TOO_LARGE
  const undecryptable = undecryptablePathsOf(out).length
  return { kind: 'passed', record: encoded, out, undecryptable }
}

/** Returns the record for the dead letter topic. `refusals`: how many forms of this record Kafka has refused. */
export const deadLetterOf = (
  input: InputSide,
  { record }: FlowReading,
  how: { readonly code: string; readonly refusals: number },
): EncodedRecord => deadLetterForm(placeIn(input, record), record, how)

const placeIn = ({ topic }: InputSide, { partition, offset }: SourceRecord) => ({
  topic,
  partition,
  offset,
})
