// Counts the connections of each credential. A connection counts from its admission, before its upgrade, until it
// closes for any reason.
import type { Duplex } from 'node:stream'
import type { UpgradeRefusal } from './refuse-upgrade.ts'

export type HeldSockets = {
  /** Returns false if the credential has reached its maximum. */
  enter(credential: string, socket: Duplex): boolean
}

export function createHeld(max: number): HeldSockets {
  const counts = new Map<string, number>()
  return {
    enter(credential, socket) {
      const count = counts.get(credential) ?? 0
      if (count >= max) return false
      counts.set(credential, count + 1)
      socket.once('close', () => {
        const left = (counts.get(credential) ?? 1) - 1
        if (left > 0) counts.set(credential, left)
        else counts.delete(credential)
      })
      return true
    },
  }
}

export const tooManyWebSockets = (max: number): UpgradeRefusal => ({
  code: 'too_many_websockets',
  message: `These credentials have ${max} WebSockets open already; close one of them, or use other credentials`,
  retryAfterSeconds: 10,
})
