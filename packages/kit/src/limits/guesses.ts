// Limits wrong secrets, which may be guesses: ten per minute from one address, and ten of the same secret from any
// address, on this replica. Further wrong secrets get 429 until the minute is over. A correct secret is never delayed.
// Only a part of a wrong secret's hash is kept.
import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Proxies } from './addresses.ts'
import { createFailureLimit } from './failure-limit.ts'

export type Guesses = {
  /** Counts one more guess. Returns the seconds to wait if there were too many. */
  count(request: IncomingMessage, secret: string): number | undefined
}

export function createGuesses(deps: { now: () => number; proxies: Proxies }): Guesses {
  const { now, proxies } = deps
  const byAddress = createFailureLimit({ now })
  const bySecret = createFailureLimit({ now })
  return {
    count({ socket, headers }, secret) {
      const forwarded = headers['x-forwarded-for']
      const header = Array.isArray(forwarded) ? forwarded.join() : forwarded
      const waits = [
        byAddress.fail(proxies.clientOf(socket.remoteAddress, header)),
        bySecret.fail(createHash('sha256').update(secret).digest('base64url').slice(0, 16)),
      ].filter((seconds) => seconds !== undefined)
      return waits.length === 0 ? undefined : Math.max(...waits)
    },
  }
}

export const tooManyGuesses =
  'This key or token is wrong or no longer valid. Too many wrong ones were sent; wait before the next attempt. A valid one is always accepted'
