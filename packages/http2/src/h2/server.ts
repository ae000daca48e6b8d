// Our own HTTP/2 on the connections of a port. The connections share a clock, a timer that ends slow requests and
// connections, and a limit for the bytes that they hold together.
import type { Timeouts } from '../bounds.ts'
import type { Http2Side } from '../open-port.ts'
import type { Handler } from '../types.ts'
import { createBudget, passTurn } from './bounds/budget.ts'
import { createClock } from './clock.ts'
import { acceptConnection } from './connection.ts'
import type { Connection } from './connection.ts'

const sweepMsMax = 1_000

export function ownHttp2(options: {
  handler: Handler
  onError: (error: unknown) => void
  timeouts: Timeouts
  heldBytesMax: number
}): Http2Side {
  const { handler, onError, timeouts } = options
  const budget = createBudget(options.heldBytesMax)
  const connections = new Set<Connection>()
  const sweepMs = Math.min(sweepMsMax, ...Object.values(timeouts).map((ms) => Math.ceil(ms / 4)))
  const clock = createClock()
  let sweeping: NodeJS.Timeout | undefined

  const sweep = (): void => {
    const before = clock.nowMs
    clock.tick()
    const elapsedMs = clock.nowMs - before
    for (const connection of connections) connection.sweep(timeouts, elapsedMs)
    passTurn(budget)
  }

  return {
    accept(socket) {
      if (sweeping === undefined) clock.tick()
      sweeping ??= setInterval(sweep, sweepMs).unref()
      const connection = acceptConnection({ socket, handler, onError, budget, clock })
      connections.add(connection)
      socket.on('close', () => {
        connections.delete(connection)
        if (connections.size > 0) return
        clearInterval(sweeping)
        sweeping = undefined
      })
    },
    finish() {
      for (const connection of connections) connection.finish()
    },
  }
}
