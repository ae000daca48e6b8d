// The bytes of bodies that all connections together hold for requests not yet answered, and those that
// they may still be sent: windows are handed out as far as both together stay within the bound. Over the
// bound, connections that hold more than their share get no further window, so producers are slowed down
// before anyone is refused; over twice the bound, their bodies that aren't whole yet are given up.

import { windowDefault } from '../frames/frames.ts'

/** Of one connection's window: with small bodies alone, and with large ones. */
const windowBytesUsual = 524_288
const windowBytesMax = 16_777_216
/** However many connections there are, and however few. */
const shareBytesMin = 16_384
const shareBytesMax = 262_144

/** Whoever makes something of its turn keeps it for so many seconds. */
const turnAgeMax = 5

/** What a budget has to know of a connection. */
export type Holder = {
  readonly heldBytes: number
  readonly receiveWindow: number
  readonly hasLargeBodies: boolean
  /** Told of room, when it got no window. */
  onRoom: () => void
}

/** For the requests of a connection. */
export type Budget = {
  /** Beyond this only the oldest body of a connection goes on. */
  readonly connectionBytesMax: number
  /** Negative when less is held. */
  add(bytes: number): void
  /** Of what is held, in bodies that aren't whole. */
  addUnfinished(bytes: number): void
  /** A connection's window grew or, as it is used, shrank. */
  promise(bytes: number): void
  /** The window for a connection; 0 when it gets none, and then it is told once there is room. */
  window(holder: Holder): number
  /** Whether a connection that holds so much may go on with a body that isn't whole. */
  isExhausted(heldBytes: number): boolean
}

/** For connections as they come and go, and for the server that has them. */
export type SharedBudget = Budget & {
  /** A connection takes part. */
  join(holder: Holder): void
  /** It is gone, and isn't told of room any longer. */
  leave(holder: Holder): void
  /** To be called about once a second. */
  passTurn(): void
}

export function createBudget(bytesMax: number): SharedBudget {
  const waiting = new Set<Holder>()
  let connections = 0
  let used = 0
  let unfinished = 0
  let promised = 0
  /** The one that goes on while all are stuck, for how many seconds, and what it held before. */
  let turn: Holder | undefined
  let turnAge = 0
  let turnHeldBytes = 0
  const share = (): number =>
    Math.min(shareBytesMax, Math.max(shareBytesMin, bytesMax / connections))
  /** Nearly all that is held are bodies that wait for their rest: without a window nothing gets done. */
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
