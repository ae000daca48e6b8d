// The bytes of bodies that all connections together hold for requests not yet answered. Over the bound,
// connections that hold more than their share get no further window, so producers are slowed down before
// anyone is refused; over twice the bound, their bodies that aren't whole yet are given up.

import { windowDefault } from './frames.ts'

/** Of one connection's window, when nobody else wants any. */
const windowBytesMax = 1_048_576
/** However many connections there are, and however few. */
const shareBytesMin = 16_384
const shareBytesMax = 262_144

export type Budget = {
  /** A connection takes part. */
  join(): void
  /** It is gone, and isn't told of room any longer. */
  leave(onRoom: () => void): void
  /** Negative when less is held. */
  add(bytes: number): void
  /**
   * The window for a connection that holds so much: its part of what is left; 0 when it gets none, and
   * then it is told once there is room.
   */
  window(heldBytes: number, onRoom: () => void): number
  /** Whether a connection that holds so much may go on with a body that isn't whole. */
  isExhausted(heldBytes: number): boolean
}

export function createBudget(bytesMax: number): Budget {
  const waiting = new Set<() => void>()
  let connections = 0
  let used = 0
  const share = (): number =>
    Math.min(shareBytesMax, Math.max(shareBytesMin, bytesMax / connections))
  const wake = (): void => {
    const all = [...waiting]
    waiting.clear()
    for (const onRoom of all) onRoom()
  }
  return {
    join() {
      connections += 1
    },
    leave(onRoom) {
      connections -= 1
      waiting.delete(onRoom)
    },
    add(bytes) {
      used += bytes
      if (bytes < 0 && waiting.size > 0 && used < bytesMax) wake()
    },
    window(heldBytes, onRoom) {
      const room = (bytesMax - used) / connections
      if (room > 0) return Math.max(windowDefault, Math.min(windowBytesMax, Math.floor(room)))
      if (heldBytes <= share()) return windowDefault
      waiting.add(onRoom)
      return 0
    },
    isExhausted: (heldBytes) => used > 2 * bytesMax && heldBytes > share(),
  }
}
