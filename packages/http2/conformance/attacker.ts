// The attacker, a separate process. When it gets a port and an attack, it opens up to a hundred connections, one after
// the other, and sends the attack on each. An empty order stops it.
import * as net from 'node:net'
import { attacks } from './attack-list.ts'
import type { Attack } from './attack-list.ts'

/**
 * The load that a server must withstand. The server ends a flood's connection after one or two milliseconds of work.
 */
const connectEveryMs = 100
const dripEveryMs = 100
const connectionsMax = 100

export type Order = { port: number; attack: string } | undefined

const open = new Set<net.Socket>()
let opening: NodeJS.Timeout | undefined

function connect(port: number, attack: Attack): void {
  if (open.size >= connectionsMax) return
  const socket = net.connect(port, '127.0.0.1')
  open.add(socket)
  const { drip } = attack
  const dripping = drip && setInterval(() => socket.write(drip), dripEveryMs)
  socket.on('error', () => {}) // the server ended the connection
  socket.on('close', () => {
    clearInterval(dripping)
    open.delete(socket)
  })
  if (attack.isDeaf) socket.pause()
  else socket.resume()
  socket.write(attack.first)
  if (attack.send.length > 0) socket.write(attack.send)
}

function stop(): void {
  clearInterval(opening)
  for (const socket of open) socket.destroy()
}

process.on('message', (order: { order: Order }) => {
  stop()
  const target = order.order
  if (target === undefined) return
  const attack = attacks.find(({ name }) => name === target.attack)
  if (attack === undefined) throw new Error(`no attack ${target.attack}`)
  opening = setInterval(() => connect(target.port, attack), connectEveryMs)
})
process.on('disconnect', () => process.exit())
