// Limits the body bytes that all connections together hold for unanswered requests, plus those that their windows still
// permit. Over the limit, connections that hold more than their share get no further window. So clients are slowed down
// before a request is refused. Over twice the limit, these connections' requests with incomplete bodies are reset.

import { windowDefault } from '../frames/frames.ts'

/** The maximum window of a connection. With large bodies, it is `windowBytesMax`. */
const windowBytesUsual = 524_288
const windowBytesMax = 16_777_216
/** The minimum share, for any number of connections. */
const shareBytesMin = 16_384
const shareBytesMax = 262_144

/** How many seconds a connection keeps its turn (see `Budget.turn`) if it makes progress. */
const turnAgeMax = 5

/** The data that a budget needs about a connection. */
export type Holder = {
  readonly heldBytes: number
  readonly receiveWindow: number
  readonly hasLargeBodies: boolean
  /** Called when a connection that got no window can get one. */
  onRoom: () => void
}

/** The counts of all connections. Other files change only `unfinished` and `promised`. */
export type Budget = {
  readonly bytesMax: number
  /** If a connection holds more, only its oldest body continues. */
  readonly connectionBytesMax: number
  connections: number
  used: number
  /** The part of the used bytes that belongs to incomplete bodies. */
  unfinished: number
  /** The bytes that the windows of all connections still permit. */
  promised: number
  readonly waiting: Set<Holder>
  /**
   * If no connection can continue, only this one gets windows. It has had the turn for `turnAge` seconds, and held
   * `turnHeldBytes` at the last check.
   */
  turn: Holder | undefined
  turnAge: number
  turnHeldBytes: number
}

export const createBudget = (bytesMax: number): Budget => ({
  bytesMax,
  connectionBytesMax: bytesMax / 3,
  connections: 0,
  used: 0,
  unfinished: 0,
  promised: 0,
  waiting: new Set(),
  turn: undefined,
  turnAge: 0,
  turnHeldBytes: 0,
})

export function joinBudget(budget: Budget, holder: Holder): void {
  budget.connections += 1
  budget.promised += holder.receiveWindow
}

/** The connection gets no more `onRoom` calls. */
export function leaveBudget(budget: Budget, holder: Holder): void {
  budget.connections -= 1
  budget.promised -= holder.receiveWindow
  budget.waiting.delete(holder)
  if (budget.turn === holder) budget.turn = undefined
}

/** Counts held bytes. A negative number means that fewer are held, which may make room for waiting connections. */
export function useBudget(budget: Budget, bytes: number): void {
  budget.used += bytes
  if (bytes >= 0 || budget.waiting.size === 0) return
  if (budget.used >= budget.bytesMax && (budget.turn !== undefined || !isStuck(budget))) return
  budget.turn = undefined
  const all = [...budget.waiting]
  budget.waiting.clear()
  for (const { onRoom } of all) onRoom()
}

/** Returns the window for a connection, or 0 if it must wait for `onRoom`. */
export function windowFor(budget: Budget, holder: Holder): number {
  const { bytesMax, used, promised, connections } = budget
  if (used < bytesMax) {
    const most = holder.hasLargeBodies ? windowBytesMax : windowBytesUsual
    const left = bytesMax - used - promised + holder.receiveWindow
    return Math.max(windowDefault, Math.floor(Math.min(most, bytesMax / connections, left)))
  }
  if (holder.heldBytes <= shareOf(budget)) return windowDefault
  if (isStuck(budget) && (budget.turn ?? holder) === holder) {
    if (budget.turn === undefined) budget.turnAge = 0
    budget.turn = holder
    return windowDefault
  }
  budget.waiting.add(holder)
  return 0
}

/** Returns whether a connection that holds `heldBytes` must reset a request with an incomplete body. */
export const isExhausted = (budget: Budget, heldBytes: number): boolean =>
  budget.used > 2 * budget.bytesMax && heldBytes > shareOf(budget)

/** If no connection can continue, gives the turn to another one. Call about once a second. */
export function passTurn(budget: Budget): void {
  const { waiting, turn } = budget
  if (waiting.size === 0 || !isStuck(budget)) return
  budget.turnAge += 1
  if (
    turn !== undefined &&
    turn.heldBytes !== budget.turnHeldBytes &&
    budget.turnAge < turnAgeMax
  ) {
    budget.turnHeldBytes = turn.heldBytes
    return
  }
  const [next] = waiting
  if (turn !== undefined) waiting.add(turn)
  budget.turn = next
  budget.turnAge = 0
  if (next === undefined) return
  waiting.delete(next)
  next.onRoom()
}

const shareOf = ({ bytesMax, connections }: Budget): number =>
  Math.min(shareBytesMax, Math.max(shareBytesMin, bytesMax / connections))

/** If nearly all held bytes belong to incomplete bodies, no request can finish without a window. */
const isStuck = ({ bytesMax, used, unfinished }: Budget): boolean =>
  used >= bytesMax && used - unfinished < bytesMax / 8
