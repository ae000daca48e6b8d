// How much an account may have erased (docs/forgetting.md, Bounds). A value that no event ever had costs as much as a real
// one: some 10 kB of key tree in each era that the stream has keys of, in `weir.keys` and in the memory of every replica.
// So values are counted while their erasure's record is kept, that is as long as the trees that they were cut out of.
//
// Counted is each value of each request, however many eras it changes: who erases a value twice has cut out two branches.
// A data subject counts as many values as it has pseudonyms in one era, and is never refused: its pseudonyms come
// from events that were stored, and each is cut out once, so `eventCount` and `eventRate` are its bound.
import type { Log } from '@weir/kit'
import { refusal } from '../../errors.ts'
import type { Refusal } from '@weir/http-api'
import type { Erasures, StateFollower, Streams } from '@weir/control-state'

export type Bounding = {
  readonly follower: Pick<StateFollower, 'tables'>
  /** How many erased values an account may have. */
  readonly erasuresMax: number
  readonly log: Log
}

/** From this share of the bound on, the log warns. */
const warnShare = 0.8

function erasedValuesOf(state: Streams & Erasures, billingId: string): number {
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

/** After an erasure: the log names an account that comes near its bound. */
export function warnOfBound({ follower, erasuresMax, log }: Bounding, billingId: string): void {
  const used = follower.tables.erasedValues().get(billingId) ?? 0
  if (used < erasuresMax * warnShare) return
  log.warn({ account: billingId, used, erasuresMax }, 'an account is close to ERASURES_MAX')
}

type Exceeded = { readonly used: number; readonly count: number; readonly erasuresMax: number }

const exceeded = ({ used, count, erasuresMax }: Exceeded): Refusal =>
  refusal(
    'erasures_exceeded',
    `The account has ${used} erased values and may have ${erasuresMax} (ERASURES_MAX), so ${count} more are too many. Nothing ` +
      'was erased. Erase data subjects by `subject`, to which this limit does not apply, delete streams that are not needed, or ' +
      'ask the operators of Weir to raise ERASURES_MAX',
  )
