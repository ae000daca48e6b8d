// Limits the connections of one address to a tenth of the port's maximum, so that one client can't use them all. Our
// own proxies are exempt, because each has many clients.
import type { Socket } from 'node:net'
import { countedAddress } from '@weir/kit'

export type DoorOptions = {
  readonly connectionsMax: number
  readonly isProxy: (address: string) => boolean
}

/** The returned function counts a connection, and returns false if it exceeds the limit. */
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
