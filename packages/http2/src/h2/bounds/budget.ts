// Bounds the body bytes that all connections together hold for unanswered requests, plus those that their windows still
// allow. Over the bound, connections that hold more than their share get no further window, so producers are slowed
// down before any is refused; over twice the bound, their incomplete bodies are dropped.

import { windowDefault } from '../frames/frames.ts'

/** One connection's window: with small bodies only, and with large ones. */
const windowBytesUsual = 524_288
const windowBytesMax = 16_777_216
/** However many or few connections there are. */
const shareBytesMin = 16_384
const shareBytesMax = 262_144

/** A connection that progresses during its turn keeps it for this many seconds. */
const turnAgeMax = 5

/** What a budget needs to know of a connection. */
export type Holder = {
  readonly heldBytes: number
  readonly receiveWindow: number
  readonly hasLargeBodies: boolean
  /** Called when there is room, after it got no window. */
  onRoom: () => void
}

/** The budget as seen by a connection's requests. */
export type Budget = {
  /** Beyond this only the oldest body of a connection continues. */
  readonly connectionBytesMax: number
  /** Negative when less is held. */
  add(bytes: number): void
  /** The part of the held bytes that belongs to incomplete bodies. */
  addUnfinished(bytes: number): void
  /** A connection's window grew or, as it is used, shrank. */
  promise(bytes: number): void
  /** The window for a connection; 0 when it gets none, and then `onRoom` is called once there is room. */
  window(holder: Holder): number
  /** Whether a connection that holds this much must drop an incomplete body. */
  isExhausted(heldBytes: number): boolean
}

/** The budget as seen by the server, for adding and removing connections. */
export type SharedBudget = Budget & {
  /** Adds a connection. */
  join(holder: Holder): void
  /** Removes a connection; it gets no more `onRoom` calls. */
  leave(holder: Holder): void
  /** Call about once a second. */
  passTurn(): void
}

export function createBudget(bytesMax: number): SharedBudget {
  const waiting = new Set<Holder>()
  let connections = 0
  let used = 0
  let unfinished = 0
  let promised = 0
  /** While all are stuck: the connection that may continue, for how many seconds it has, and what it held before. */
  let turn: Holder | undefined
  let turnAge = 0
  let turnHeldBytes = 0
  const share = (): number =>
    Math.min(shareBytesMax, Math.max(shareBytesMin, bytesMax / connections))
  /** Nearly all held bytes belong to incomplete bodies: without a window no request can finish. */
  const isStuck = (): boolean => used >= bytesMax && used - unfinished < bytesMax / 8
  const wake = (): void => {
    turn = undefined
    const all = [...waiting]
    waiting.clear()
    for (const { onRoom } of all) onRoom()
  }
  return {
    connectionBytesMax: bytesMax / 3,
    join(holder) {
      connections += 1
      promised += holder.receiveWindow
    },
    leave(holder) {
      connections -= 1
      promised -= holder.receiveWindow
      waiting.delete(holder)
      if (turn === holder) turn = undefined
    },
    add(bytes) {
      used += bytes
      if (bytes >= 0 || waiting.size === 0) return
      if (used < bytesMax || (turn === undefined && isStuck())) wake()
    },
    addUnfinished: (bytes) => void (unfinished += bytes),
    promise: (bytes) => void (promised += bytes),
    window(holder) {
      if (used < bytesMax) {
        const most = holder.hasLargeBodies ? windowBytesMax : windowBytesUsual
        const left = bytesMax - used - promised + holder.receiveWindow
        return Math.max(windowDefault, Math.floor(Math.min(most, bytesMax / connections, left)))
      }
      if (holder.heldBytes <= share()) return windowDefault
      if (isStuck() && (turn ?? holder) === holder) {
        if (turn === undefined) turnAge = 0
        turn = holder
        return windowDefault
      }
      waiting.add(holder)
      return 0
    },
    isExhausted: (heldBytes) => used > 2 * bytesMax && heldBytes > share(),
    passTurn() {
      if (waiting.size === 0 || !isStuck()) return
      turnAge += 1
      if (turn !== undefined && turn.heldBytes !== turnHeldBytes && turnAge < turnAgeMax) {
        turnHeldBytes = turn.heldBytes
        return
      }
      const [next] = waiting
      if (turn !== undefined) waiting.add(turn)
      turn = next
      turnAge = 0
      if (next === undefined) return
      waiting.delete(next)
      next.onRoom()
    },
  }
}
