// A batch of records that are derived while somebody waits, in a preview or a retry: what one can't become because of itself
// (docs/architecture.md 4) is its own affair, and no other's. A verdict is only given when control state has been followed past the
// record and is whole.
import type { OutRecord, SourceRecord } from '@weir/kafka'
import type { StateFollower } from '@weir/control-state'
import type { Derive } from './derive.ts'
import { changingReasons, DeriveError, reasonOf, waitReasons } from './errors.ts'

/** A record that can't be derived because of itself, and why. */
type Dead = { readonly dead: string }

/** What becomes of a record; undefined: nothing. */
export type Derived = OutRecord | Dead | undefined

export const isDead = (derived: Derived): derived is Dead =>
  derived !== undefined && 'dead' in derived

/** In the same order. */
export type Transform = (records: readonly SourceRecord[]) => Promise<readonly Derived[]>

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
export const failureCodes: readonly string[] = [...waitReasons, 'position_lost', 'unexpected']

/** What would wait is dead for now, under the code that says why. */
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
