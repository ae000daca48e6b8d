// Passes requests to a broker in order; while it is shut they wait. A throttling broker must get none, and a broker
// closes a connection when another request interrupts a renewed login.
import { KafkaError } from '../errors.ts'

export type SendGate = {
  /**
   * Runs `work` immediately, or when the gate opens. Rejects with KafkaError `kafka.not_sent` where that is after
   * `untilMs`.
   */
  pass<T>(work: () => Promise<T>, untilMs: number): Promise<T>
  /** Shuts it until the function returned is called, once. */
  shut(): () => void
}

export function createSendGate(): SendGate {
  const waiting: (() => void)[] = []
  let timesShut = 0

  function open(): void {
    timesShut -= 1
    while (timesShut === 0) {
      const next = waiting.shift()
      if (next === undefined) return
      next()
    }
  }

  return {
    pass(work, untilMs) {
      const inTime = async () => {
        if (performance.now() > untilMs) throw notSent('it had to wait for too long')
        return work()
      }
      if (timesShut === 0) return inTime()
      return new Promise((resolve) => waiting.push(() => resolve(inTime())))
    },
    shut() {
      timesShut += 1
      return open
    },
  }
}

/** The broker has certainly received nothing of it. */
export const notSent = (why: string, cause?: unknown): KafkaError =>
  new KafkaError('kafka.not_sent', why, { cause })
