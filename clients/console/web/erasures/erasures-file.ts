// The list of requests as a CSV file. Pure.
import { erasureStates, isRecord, outputsKeepUntil, timeOf } from '../api/erasure.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { csvFile } from '../ui/csv-file.ts'
import type { OfStream } from './wanted.ts'

export const erasuresFile = (erasures: readonly OfStream[], words: LevelWords): string =>
  csvFile(erasures.map((erasure) => rowOf(erasure, words)))

const rowOf = (erasure: OfStream, words: LevelWords) => ({
  kind: kindOf(erasure, words),
  reference: erasure.reference,
  id: erasure.id,
  stream: erasure.stream,
  events: erasure.found,
  accepted: timeOf(erasure, 'accepted'),
  due: erasure.dueOn,
  state: erasureStates.findLast((state) => timeOf(erasure, state) !== '') ?? 'accepted',
  completed: timeOf(erasure, 'complete'),
  outputs_keep_until: outputsKeepUntil(erasure.outputs),
})

function kindOf(erasure: OfStream, words: LevelWords): string {
  const { levels } = erasure
  if (levels !== undefined) return `withdrawal of level ${levels.map(words).join(', ')}`
  return isRecord(erasure) ? 'record that nothing was found' : 'erasure'
}
