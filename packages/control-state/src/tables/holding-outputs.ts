// Finds the outputs whose topics may contain, or whose readers may have, fields that were decrypted before an erasure.
// In a topic, these fields stay until its retention ends. Dead letter topics are left out, because their records are
// encrypted. No I/O.
import { isDecryptedByReaders } from '../records/records.ts'
import type { DerivedStream, ErasureRecord } from '../records/records.ts'
import type { Streams } from './state.ts'

export type HoldingOutput = {
  readonly output: DerivedStream
  /** The levels of the erasure that the output decrypts. */
  readonly levels: readonly number[]
}

/** Whether Weir or the derived stream's readers decrypt fields of this level. False if the stream has no levels. */
export function opensLevel(
  { consentLevels, consentLevelType }: Pick<DerivedStream, 'consentLevels' | 'consentLevelType'>,
  level: number,
): boolean {
  switch (consentLevelType) {
    case 'CUMULATIVE':
      return level <= (consentLevels[0] ?? -1)
    case 'GRANULAR':
      return consentLevels.includes(level)
    default:
      return false
  }
}

/**
 * Returns the outputs that may contain decrypted fields of the erasure. Includes deleted outputs while their topics may
 * exist. Excludes outputs that were created after the erasure was applied, and outputs whose readers decrypt.
 */
export function outputsHolding(
  state: Pick<Streams, 'streamsOf'>,
  erasure: ErasureRecord,
): HoldingOutput[] {
  const then = erasure.outputs && new Set(erasure.outputs.map(({ streamId }) => streamId))
  return outputsOpening(state, erasure)
    .filter(({ output }) => !isDecryptedByReaders(output))
    .filter(({ output }) => then?.has(output.streamId) ?? output.neverReady !== true)
}

/**
 * Returns the outputs whose readers may have decrypted fields of the erasure, including deleted outputs. Excludes
 * outputs that were created after the erasure was applied: their readers get no keys for its events.
 */
export const outputsForReaders = (
  state: Pick<Streams, 'streamsOf'>,
  erasure: ErasureRecord,
): HoldingOutput[] =>
  outputsOpening(state, erasure)
    .filter(({ output }) => isDecryptedByReaders(output) && output.neverReady !== true)
    .filter(({ output }) => output.createdAtMs <= (erasure.appliedAtMs ?? Infinity))

/** Returns the outputs for which Weir or the readers decrypt a level of the erasure. */
const outputsOpening = (
  state: Pick<Streams, 'streamsOf'>,
  { billingId, streamId, levels }: ErasureRecord,
): HoldingOutput[] =>
  state
    .streamsOf(billingId)
    .filter(
      (stream): stream is DerivedStream =>
        stream.kind === 'derived' && stream.linkedStreamId === streamId,
    )
    .map((output) => ({ output, levels: levels.filter((level) => opensLevel(output, level)) }))
    .filter((holding) => holding.levels.length > 0)

/**
 * Returns the time until which readers may use keys of the input stream that they got before `sinceMs`. It is never
 * earlier than `sinceMs`.
 */
export function keysLentUntil(
  state: Pick<Streams, 'streamsOf'>,
  { billingId, streamId }: Pick<ErasureRecord, 'billingId' | 'streamId'>,
  sinceMs: number,
): number {
  const until = state.streamsOf(billingId).map((stream) => {
    if (stream.kind === 'input')
      return stream.streamId === streamId ? (stream.keysLentUntilMs ?? 0) : 0
    const isOurs = stream.linkedStreamId === streamId && stream.state !== 'deleting'
    return isOurs ? sinceMs + (stream.keyMaxAgeSeconds ?? 0) * 1_000 : 0
  })
  return Math.max(sinceMs, ...until)
}
