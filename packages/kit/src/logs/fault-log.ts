// Logs requests that were refused because of a fault of the service, each with the id that its client got. An outage
// would cause a line per request, so only ten lines per second are logged. The next line has the number of requests
// that were left out.
import { createAllowance } from '../limits/allowance.ts'
import type { Log } from './log.ts'

export type Fault = {
  readonly requestId: string
  readonly code: string
  readonly status: number
  /** The template of the request's path. */
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
