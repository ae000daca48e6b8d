// How much an account may have erased (docs/forgetting.md, Bounds). A value that no event ever had costs as much as a real
// one: some 10 kB of key tree in each era that the stream has keys of, in `weir.keys` and in the memory of every replica.
// So values are counted while their erasure's record is kept, that is as long as the trees that they were cut out of.
//
// Counted is each value of each request, however many eras it changes: who erases a value twice has cut out two branches.
// A data subject counts as many values as it has pseudonyms in one era, and is not refused for their number: they come from events
// that were stored, and each is cut out once. What bounds both is what the keys come to in bytes, of the account and of all: it is
// reckoned before anything is cut out, since it lies in the memory of every replica.
import type { Log } from '@weir/kit'
import { growthMaxBytes } from '@weir/fieldcrypt'
import { refusal } from '../../errors.ts'
import type { Refusal } from '@weir/http-api'
import type { ErasureRecord, Erasures, StateFollower, Streams } from '@weir/control-state'

export type Bounding = {
  readonly follower: Pick<StateFollower, 'tables' | 'keyStore'>
  /** How many erased values an account may have. */
  readonly erasuresMax: number
  /** How many bytes of keys an account may have, and all accounts together. */
  readonly keyBytesMax: { readonly account: number; readonly all: number }
  readonly log: Log
}

/** From this share of the bound on, the log warns. */
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
 * Whether there is room for what these cuts may add, and for what has yet to be cut out. @throws Refusal `erasures_exceeded`
 */
export function requireKeyRoom(
  { follower, keyBytesMax }: Pick<Bounding, 'follower' | 'keyBytesMax'>,
  billingId: string,
  more: number,
): void {
  const { tables, keyStore } = follower
  const unfinished = tables.pendingErasures().filter(({ rest }) => rest !== undefined)
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

/** After an erasure: the log names an account that comes near its bound. */
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
