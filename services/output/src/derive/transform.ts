// A batch of records, each looked at singly: what one can't become because of itself (docs/architecture.md 4)
// is its own affair, and no other's. A verdict is only given when control state has been followed past the
// record and is whole; what can still change, a key that isn't at hand, makes the whole batch wait.
import { isDead } from '@weir/kafka'
import type { Derived, SourceRecord } from '@weir/kafka'
import type { StateFollower } from '@weir/control-state'
import type { Derive } from './derive.ts'
import { DeriveError, reasonOf } from './errors.ts'
import type { Reason } from './errors.ts'

export type Transform = (records: readonly SourceRecord[]) => Promise<readonly Derived[]>

/** A key is missing, or its record can't be read: the event's fault is none of these. */
const waits: readonly string[] = [
  'not_known_yet',
  'key_unavailable',
  'record_unreadable',
] satisfies readonly Reason[]
/** What control state may tell otherwise. */
const mayPass: readonly string[] = [
  ...waits,
  ...(['unknown_contract', 'no_such_era'] satisfies readonly Reason[]),
]

/** Under which records are dead-lettered: what `derive` and Kafka's bound on a record's size find. */
export const deadCodes = [
  'unknown_contract',
  'no_such_era',
  'corrupt',
  'not_framed',
  'undecodable',
  'too_large',
  'unexpected',
] as const
/** Of batches that fail, those that are ours; Kafka's own join them when they come. */
export const failureCodes: readonly string[] = [...waits, 'unexpected']

/** Throws what makes records wait. */
export function createTransform(
  derive: Derive,
  follower: Pick<StateFollower, 'refresh' | 'isFresh'>,
): Transform {
  const tryAll = createTryAll(derive, follower)
  return async (records) => {
    const derived = await tryAll(records)
    for (const [index, one] of derived.entries()) {
      const record = records[index]
      if (record === undefined || !isDead(one) || !waits.includes(one.dead)) continue
      derive(record) // for the error itself, which says what is missing
      throw new DeriveError('derive.not_known_yet', 'control state has changed meanwhile')
    }
    return derived
  }
}

/** The same with nothing to wait for: what waits is dead for now, under the code that says why. */
export function createTryAll(
  derive: Derive,
  follower: Pick<StateFollower, 'refresh' | 'isFresh'>,
): Transform {
  return async (records) => {
    let isWhole = true
    const attempt = (record: SourceRecord): Derived => {
      try {
        return derive(record)
      } catch (error) {
        isWhole = false
        return { dead: reasonOf(error) }
      }
    }
    const derived = records.map(attempt)
    if (isWhole) return derived
    if (derived.some(maybeLater)) await follower.refresh()
    const verdicts = records.map((record, index) => {
      const one = derived[index]
      return maybeLater(one) ? attempt(record) : one
    })
    if (!follower.isFresh())
      throw new DeriveError('derive.not_known_yet', 'control state is being read again')
    return verdicts
  }
}

const maybeLater = (one: Derived): boolean => isDead(one) && mayPass.includes(one.dead)
