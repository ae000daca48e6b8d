// The list of requests as a CSV file. Pure.
import { unparse } from 'papaparse'
import { erasureStates, isRecord, timeOf } from '../api/erasure.ts'
import type { OfStream } from './wanted.ts'

/** Texts that a spreadsheet would take for a formula get an apostrophe. */
export const erasuresFile = (erasures: readonly OfStream[]): string =>
  unparse(erasures.map(rowOf), { escapeFormulae: true })

const rowOf = (erasure: OfStream) => ({
  kind: kindOf(erasure),
  reference: erasure.reference,
  id: erasure.id,
  stream: erasure.stream,
  events: erasure.found,
  accepted: timeOf(erasure, 'accepted'),
  due: erasure.dueOn,
  state: erasureStates.findLast((state) => timeOf(erasure, state) !== '') ?? 'accepted',
  completed: timeOf(erasure, 'complete'),
})

function kindOf(erasure: OfStream): string {
  const { levels } = erasure
  if (levels !== undefined) return `withdrawal of level ${levels.join(', ')}`
  return isRecord(erasure) ? 'record that nothing was found' : 'erasure'
}
