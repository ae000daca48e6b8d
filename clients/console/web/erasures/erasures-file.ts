// The list of requests as a CSV file. Pure.
import { erasureStates, isRecord, outputsKeepUntil, timeOf } from '../api/erasure.ts'
import type { LevelWords } from '../purposes/level-words.ts'
import { csvFile } from '../ui/csv-file.ts'
import { isLate } from './wanted.ts'
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
  overdue: overdueOf(erasure),
  state: stateOf(erasure),
  completed: timeOf(erasure, 'complete'),
  outputs_keep_until: outputsKeepUntil(erasure.outputs),
  outputs_that_readers_decrypt: erasure.readers.map(({ name }) => name).join(', '),
})

const isComplete = (erasure: OfStream): boolean => timeOf(erasure, 'complete') !== ''

/** Returns the state. Before `complete`, this is «not complete» with the state in brackets, as in the page's filter. */
function stateOf(erasure: OfStream): string {
  const state = erasureStates.findLast((each) => timeOf(erasure, each) !== '') ?? 'accepted'
  return isComplete(erasure) ? state : `not complete (${state})`
}

function overdueOf(erasure: OfStream): string {
  if (erasure.dueOn === '') return ''
  if (!isLate(erasure)) return 'no'
  return isComplete(erasure) ? 'was late' : 'yes'
}

function kindOf(erasure: OfStream, words: LevelWords): string {
  const { levels } = erasure
  if (levels !== undefined) return `withdrawal of level ${levels.map(words).join(', ')}`
  return isRecord(erasure) ? 'record that nothing was found' : 'erasure'
}
