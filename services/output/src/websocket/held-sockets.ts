// How many connections each credential holds: a place is taken before anything else is done for a connection, and is
// free again when it closes, however that comes.
import type { Duplex } from 'node:stream'
import type { UpgradeRefusal } from './refuse-upgrade.ts'

export type HeldSockets = {
  /** False when the credential has as many as it may have. */
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
