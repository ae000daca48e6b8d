// How many connections a port holds from one address: a tenth of what it holds in all, so that nobody alone can fill
// it. Behind a proxy of ours there are many, whose connections nobody can tell apart here: it counts for itself alone.
import type { Socket } from 'node:net'
import { countedAddress } from '@weir/kit'

export type DoorOptions = {
  readonly connectionsMax: number
  readonly isProxy: (address: string) => boolean
}

/** What it gives back is false for a connection that is one too many. */
export function createDoor({ connectionsMax, isProxy }: DoorOptions): (socket: Socket) => boolean {
  const addressMax = Math.max(1, Math.floor(connectionsMax / 10))
  const counts = new Map<string, number>()
  return (socket) => {
    const { remoteAddress } = socket
    if (remoteAddress === undefined || isProxy(remoteAddress)) return true
    const address = countedAddress(remoteAddress)
    const count = counts.get(address) ?? 0
    if (count >= addressMax) return false
    counts.set(address, count + 1)
    socket.once('close', () => {
      const left = (counts.get(address) ?? 1) - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    })
    return true
  }
}
