// Limits the body bytes that all connections together hold for unanswered requests, plus those that their windows still
// permit. Over the limit, connections that hold more than their share get no further window. So producers are slowed
// down before any is refused. Over twice the limit, incomplete bodies of these connections are dropped.

import { windowDefault } from '../frames/frames.ts'

/** The window of one connection with small bodies, and with large ones. */
const windowBytesUsual = 524_288
const windowBytesMax = 16_777_216
/** The minimum share, for any number of connections. */
const shareBytesMin = 16_384
const shareBytesMax = 262_144

/** A connection that makes progress during its turn keeps the turn for this many seconds. */
const turnAgeMax = 5

/** The data that a budget needs about a connection. */
export type Holder = {
  readonly heldBytes: number
  readonly receiveWindow: number
  readonly hasLargeBodies: boolean
  /** Called when there is room, after the connection got no window. */
  onRoom: () => void
}

/** The counts of all connections. Other files change only `unfinished` and `promised`. */
export type Budget = {
  readonly bytesMax: number
  /** Beyond this, only the oldest body of a connection continues. */
  readonly connectionBytesMax: number
  connections: number
  used: number
  /** The part of the used bytes that belongs to incomplete bodies. */
  unfinished: number
  /** The bytes that the windows of all connections still permit. */
  promised: number
  /** The connections that got no window. */
  readonly waiting: Set<Holder>
  /** If no connection can continue: the one whose turn it is, its remaining seconds, and what it held before. */
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

/** The window for a connection. 0 if it gets none; `onRoom` is then called when there is room. */
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

/** Whether a connection that holds so many bytes must drop an incomplete body. */
export const isExhausted = (budget: Budget, heldBytes: number): boolean =>
  budget.used > 2 * budget.bytesMax && heldBytes > shareOf(budget)

/** Call about once a second. */
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
