// Which outputs contain what an erasure can't reach: fields that were decrypted before it was applied stay in the
// topics of derived streams until those topics' own retention. Dead letter topics are not among them: a dead-lettered
// record is encrypted, as in the input. Pure. Until when depends on the topics' settings, which are read elsewhere.
import type { DerivedStream, ErasureRecord } from '../records/records.ts'
import type { Streams } from './state.ts'

export type HoldingOutput = {
  readonly output: DerivedStream
  /** The erasure's levels that the output decrypts. */
  readonly levels: readonly number[]
}

/**
 * Whether a derived stream sees fields of the level decrypted. The default is to deny: without levels nothing is
 * decrypted.
 */
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
 * Includes deleted outputs while their topics may exist. Excludes outputs that were created after the erasure was
 * applied: what they derive is encrypted by then.
 */
export function outputsHolding(
  state: Pick<Streams, 'streamsOf'>,
  { billingId, streamId, levels, outputs }: ErasureRecord,
): HoldingOutput[] {
  const then = outputs && new Set(outputs.map((output) => output.streamId))
  return state
    .streamsOf(billingId)
    .filter(
      (stream): stream is DerivedStream =>
        stream.kind === 'derived' && stream.linkedStreamId === streamId,
    )
    .filter((output) => then?.has(output.streamId) ?? output.neverReady !== true)
    .map((output) => ({ output, levels: levels.filter((level) => opensLevel(output, level)) }))
    .filter((holding) => holding.levels.length > 0)
}
