// Which erasures the page shows. Pure.
import { timeOf } from '../api/erasure.ts'
import type { Erasure } from '../api/erasure.ts'
import { dateAndTime, dayOf, isoDay } from '../ui/words.ts'

export const kinds = ['all', 'not complete', 'overdue', 'complete'] as const

export type Wanted = {
  /**
   * A part of the reference or of a date, as the page or a file shows it, or the beginning of the id. Case is ignored.
   */
  readonly words: string
  readonly which: (typeof kinds)[number]
}

export const anyErasure: Wanted = { words: '', which: 'all' }

type Sought = Pick<Erasure, 'id' | 'reference' | 'dueOn' | 'states'>

export function isWanted(erasure: Sought, { words, which }: Wanted): boolean {
  const { reference, id, dueOn, states } = erasure
  const times = [...states.values()].map(({ at }) => at).filter((at) => at !== '')
  const days = [dueOn, ...times].flatMap((each) => daysOf(each.slice(0, 10)))
  const text = [reference, dayOf(dueOn), ...times.map(dateAndTime), ...days].join(' ')
  const sought = words.trim().toLowerCase()
  if (!text.toLowerCase().includes(sought) && !id.startsWith(sought)) return false
  const isComplete = timeOf(erasure, 'complete') !== ''
  return {
    all: true,
    'not complete': !isComplete,
    overdue: !isComplete && isLate(erasure),
    complete: isComplete,
  }[which]
}

/** Returns a day as in files, 2026-12-24, and as many spreadsheets write it, 24.12.2026. */
const daysOf = (day: string): readonly string[] => [day, day.split('-').toReversed().join('.')]

export type OfStream = Erasure & { readonly stream: string }

/** Sorts the newest first. If only incomplete erasures are shown, sorts by due date, with missing dates last. */
export const inOrder = <T extends Pick<Erasure, 'dueOn' | 'states'>>(
  erasures: readonly T[],
  { which }: Wanted,
): readonly T[] =>
  erasures.toSorted(
    (a, b) =>
      (which === 'not complete' || which === 'overdue'
        ? (a.dueOn || '9999').localeCompare(b.dueOn || '9999')
        : 0) || timeOf(b, 'accepted').localeCompare(timeOf(a, 'accepted')),
  )

/** Whether the request was completed after the day on which it was due, or is now incomplete after that day. */
export function isLate(erasure: Pick<Erasure, 'states' | 'dueOn'>): boolean {
  const doneAt = timeOf(erasure, 'complete')
  const doneOn = isoDay(doneAt === '' ? Date.now() : Date.parse(doneAt))
  return erasure.dueOn !== '' && erasure.dueOn < doneOn
}
