// Delays requests to a broker while the gate is shut, and keeps their order. The gate is shut while the broker
// throttles, and during a renewed login, because a broker closes the connection if another request interrupts a login.
import { KafkaError } from '../errors.ts'

export type SendGate = {
  /** Runs `work` when the gate is open. Rejects with KafkaError `kafka.not_sent` if that is after `untilMs`. */
  pass<T>(work: () => Promise<T>, untilMs: number): Promise<T>
  /** Shuts the gate until the returned function is called. Call that function exactly once. */
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

/** Returns the error for a request of which the broker has certainly received nothing. */
export const notSent = (why: string, cause?: unknown): KafkaError =>
  new KafkaError('kafka.not_sent', why, { cause })
