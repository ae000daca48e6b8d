// Which erasures the page shows. Pure.
import { isLate, timeOf } from '../api/erasure.ts'
import type { Erasure } from '../api/erasure.ts'

export const kinds = ['all', 'not complete', 'overdue', 'complete'] as const

export type Wanted = {
  /** A part of the reference or of the id; upper and lower case are the same. */
  readonly words: string
  readonly which: (typeof kinds)[number]
}

export const anyErasure: Wanted = { words: '', which: 'all' }

type Sought = Pick<Erasure, 'id' | 'reference' | 'dueOn' | 'states'>

export function isWanted(erasure: Sought, { words, which }: Wanted): boolean {
  const text = `${erasure.reference} ${erasure.id}`.toLowerCase()
  if (!text.includes(words.trim().toLowerCase())) return false
  const isComplete = timeOf(erasure, 'complete') !== ''
  return {
    all: true,
    'not complete': !isComplete,
    overdue: !isComplete && isLate(erasure),
    complete: isComplete,
  }[which]
}
