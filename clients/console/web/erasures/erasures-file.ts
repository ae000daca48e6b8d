// The list of requests as a CSV file. Pure.
import { erasureStates, isRecord, timeOf } from '../api/erasure.ts'
import { csvFile } from '../ui/csv-file.ts'
import type { OfStream } from './wanted.ts'

export const erasuresFile = (erasures: readonly OfStream[]): string => csvFile(erasures.map(rowOf))

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
