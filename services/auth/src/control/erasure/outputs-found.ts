// What a search before an erasure found in outputs, and the outputs whose readers decrypt. Pure.
import { outputsForReaders } from '@weir/control-state'
import type { DerivedStream, ErasureRecord, FoundInOutput, Streams } from '@weir/control-state'
import type { AnswerNamed } from '../../api/answers/answers.ts'

/** Returns undefined if the search did not cover the output, or two outputs had its name. */
export function foundIn(
  { found }: ErasureRecord,
  { name, createdAtMs }: DerivedStream,
): FoundInOutput | undefined {
  const [one, ...others] = found.outputs?.filter((output) => output.name === name) ?? []
  return createdAtMs <= found.searchedAtMs && others.length === 0 ? one : undefined
}

/** Returns what an erasure and its receipt say about outputs whose readers decrypt. */
export const readerClaims = (
  state: Pick<Streams, 'streamsOf'>,
  erasure: ErasureRecord,
): AnswerNamed<'Erasure'>['readers'] =>
  outputsForReaders(state, erasure).map(({ output, levels }) => {
    const { name, tags, keyMaxAgeSeconds = 0 } = output
    const events = foundIn(erasure, output)?.events
    return {
      name,
      ...(tags.length > 0 ? { tags } : {}),
      levels,
      ...(events === undefined ? {} : { events }),
      keyMaxAgeSeconds,
    }
  })
