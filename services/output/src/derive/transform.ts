// Derives a batch of records while a caller waits, in a preview or a retry. A record that can't be derived
// (docs/architecture.md 4) does not affect the others. A failure that control state may change is tried again after a
// refresh. Failures are returned only while control state is fresh.
import type { OutRecord, SourceRecord } from '@weir/kafka'
import type { StateFollower } from '@weir/control-state'
import type { Derive } from './derive.ts'
import { changingReasons, DeriveError, reasonOf, waitReasons } from './errors.ts'

/** A record that can't be derived, with the code for the reason. */
type Dead = { readonly dead: string }

/** Undefined if the record is filtered out. */
export type Derived = OutRecord | Dead | undefined

export const isDead = (derived: Derived): derived is Dead =>
  derived !== undefined && 'dead' in derived

/** The results are in the order of the records. */
export type Transform = (records: readonly SourceRecord[]) => Promise<readonly Derived[]>

/**
 * The codes in dead letters: the reasons why derivation fails, and `too_large` for Kafka's limit on a record's size.
 */
export const deadCodes = [
  'unknown_contract',
  'no_such_era',
  'corrupt',
  'not_framed',
  'undecodable',
  'too_large',
  'unexpected',
] as const
/** Weir's own codes for failed batches. Metrics show these from the start, and Kafka's codes once they occur. */
export const failureCodes: readonly string[] = [...waitReasons, 'position_lost', 'unexpected']

/** A caller does not wait for missing keys: a record without its key is returned as `dead`, too. */
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
