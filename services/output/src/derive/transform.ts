// Derives a batch of records while a caller waits, in a preview or a retry. A record that can't be derived
// (docs/architecture.md 4) does not affect the others. Results are returned only when control state is complete, and
// has been followed past the records.
import type { OutRecord, SourceRecord } from '@weir/kafka'
import type { StateFollower } from '@weir/control-state'
import type { Derive } from './derive.ts'
import { changingReasons, DeriveError, reasonOf, waitReasons } from './errors.ts'

/** A record that can't be derived, with the code for the reason. */
type Dead = { readonly dead: string }

/** The result of a record; undefined if it is filtered out. */
export type Derived = OutRecord | Dead | undefined

export const isDead = (derived: Derived): derived is Dead =>
  derived !== undefined && 'dead' in derived

/** The results are in the order of the records. */
export type Transform = (records: readonly SourceRecord[]) => Promise<readonly Derived[]>

/** The codes of dead letters: errors of `derive`, and Kafka's limit for the size of a record. */
export const deadCodes = [
  'unknown_contract',
  'no_such_era',
  'corrupt',
  'not_framed',
  'undecodable',
  'too_large',
  'unexpected',
] as const
/** Weir's own codes for failed batches. Kafka's codes are added when they occur. */
export const failureCodes: readonly string[] = [...waitReasons, 'position_lost', 'unexpected']

/** A record that would have to wait counts as dead for now, with the code for the reason. */
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

const maybeLater = (one: Derived): boolean => isDead(one) && isAnyOf(changingReasons, one.dead)

const isAnyOf = (reasons: readonly string[], reason: string): boolean => reasons.includes(reason)
