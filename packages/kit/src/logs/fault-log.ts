// Tells of requests that were refused for a fault of ours, each with the id that its client got as well. While
// everything fails that would be a line for every request: some a second are told, and how many more there were is
// told with the next.
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
