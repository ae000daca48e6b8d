// The limits for erasures per account (docs/forgetting.md, Limits). An erased value takes 3 to 4 kB of key tree in
// each term with keys, even if no event has this value. `weir.keys` stores these trees, and every replica keeps them in
// memory. So a value counts until the record of its erasure is deleted.
//
// A value counts once per request, in however many terms it is erased. If a later request erases it again, it counts
// again, because that request removes another branch of the tree. An erasure of a data subject counts the person's
// pseudonyms in the term with the most of them. Pseudonyms come from stored events, so this limit refuses them only if
// the erasure changes nothing.
//
// The size of the keys is limited, too, per account and in total, for all erasures. auth estimates the growth, and
// refuses an erasure if the keys would become too large.
import type { Log } from '@weir/kit'
import { growthMaxBytes } from '@weir/fieldcrypt'
import { refusal } from '../../errors.ts'
import type { Refusal } from '@weir/http-api'
import type { ErasureRecord, Erasures, StateFollower, Streams } from '@weir/control-state'

export type Bounding = {
  readonly follower: Pick<StateFollower, 'tables' | 'keyStore'>
  /** The maximum number of erased values per account. */
  readonly erasuresMax: number
  readonly keyBytesMax: { readonly account: number; readonly all: number }
  readonly log: Log
}

/** From this share of the limit on, a warning is logged. */
const warnShare = 0.8

export function erasedValuesOf(state: Streams & Erasures, billingId: string): number {
  let count = 0
  for (const { streamId } of state.streamsOf(billingId))
    for (const { counted } of state.erasuresOf(streamId)) count += counted
  return count
}

/** @throws Refusal `erasures_exceeded` */
export function requireRoom(
  { erasuresMax }: Pick<Bounding, 'erasuresMax'>,
  state: Streams & Erasures,
  { billingId, count }: { billingId: string; count: number },
): void {
  const used = erasedValuesOf(state, billingId)
  if (used + count > erasuresMax) throw exceeded({ used, count, erasuresMax })
}

/**
 * Checks whether `more` bytes and the unfinished erasures fit.
 * @throws Refusal `erasures_exceeded`
 */
export function requireKeyRoom(
  { follower, keyBytesMax }: Pick<Bounding, 'follower' | 'keyBytesMax'>,
  billingId: string,
  more: number,
): void {
  const { tables, keyStore } = follower
  const unfinished = tables.unfinishedErasures()
  const toCome = (of: readonly ErasureRecord[]): number =>
    of.reduce((sum, { rest }) => sum + growthMaxBytes((rest?.links ?? 0) - (rest?.done ?? 0)), 0)
  const ofAccount = tables
    .streamsOf(billingId)
    .reduce((sum, { streamId }) => sum + keyStore.bytes({ billingId, streamId }), 0)
  const usedByAccount = ofAccount + toCome(unfinished.filter((one) => one.billingId === billingId))
  if (usedByAccount + more > keyBytesMax.account)
    throw noKeyRoom('The account', { used: usedByAccount, more }, [
      keyBytesMax.account,
      'ACCOUNT_KEY_BYTES_MAX',
    ])
  const used = keyStore.bytes() + toCome(unfinished)
  if (used + more > keyBytesMax.all)
    throw noKeyRoom('This Weir', { used, more }, [keyBytesMax.all, 'KEY_BYTES_MAX'])
}

/** Call after an erasure. Logs a warning if the account is near its limit. */
export function warnOfBound({ follower, erasuresMax, log }: Bounding, billingId: string): void {
  const used = follower.tables.erasedValues().get(billingId) ?? 0
  if (used < erasuresMax * warnShare) return
  log.warn({ account: billingId, used, erasuresMax }, 'an account is close to ERASURES_MAX')
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1e6)

const noKeyRoom = (
  whose: string,
  { used, more }: { readonly used: number; readonly more: number },
  [most, setting]: readonly [number, string],
): Refusal =>
  refusal(
    'erasures_exceeded',
    `${whose} has ${megabytes(used)} MB of keys and may have ${megabytes(most)} MB (${setting}), and this erasure may need ` +
      `${megabytes(more)} MB more. Nothing was erased. Delete streams that are not needed, or ask the operators of Weir to raise ${setting}`,
  )

type Exceeded = { readonly used: number; readonly count: number; readonly erasuresMax: number }

const exceeded = ({ used, count, erasuresMax }: Exceeded): Refusal =>
  refusal(
    'erasures_exceeded',
    `The account has ${used} erased values and may have ${erasuresMax} (ERASURES_MAX), so ${count} more are too many. Nothing ` +
      'was erased. Erase data subjects by `subject`, to which this limit does not apply, delete streams that are not needed, or ' +
      'ask the operators of Weir to raise ERASURES_MAX',
  )
