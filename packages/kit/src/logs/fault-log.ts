// Logs requests that were refused for a fault of ours, each with the id that its client got. During an outage that
// would be a line per request: only a few per second are logged, and the next line counts the others.
import { createAllowance } from '../limits/allowance.ts'
import type { Log } from './log.ts'

export type Fault = {
  readonly requestId: string
  readonly code: string
  readonly status: number
  /** The template of its path. */
  readonly route: string
  readonly err: unknown
}

const linesPerSecond = 10

export function createFaultLog(
  log: Log,
  mayTell = createAllowance(linesPerSecond),
): (fault: Fault) => void {
  let untold = 0
  return (fault) => {
    if (!mayTell.take()) return void (untold += 1)
    const more = untold === 0 ? {} : { untold }
    untold = 0
    const level = fault.code === 'internal' ? 'error' : 'warn'
    log[level]({ ...fault, ...more }, 'a request failed with an internal error')
  }
}
