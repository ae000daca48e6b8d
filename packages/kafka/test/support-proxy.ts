// A proxy in front of a broker. It can lose requests or responses.
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'

/** `asked`: requests are lost. `answered`: responses are lost. */
export type Losing = 'nothing' | 'asked' | 'answered'

export type Proxy = {
  readonly port: number
  lose(what: Losing): void
  /** The number of bytes sent by clients, including lost ones. */
  asked(): number
  /** Ends all connections. */
  cut(): void
  close(): Promise<void>
}

export async function startProxy(targetPort: () => number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let losing: Losing = 'nothing'
  let asked = 0

  function carry(from: Socket, to: Socket, way: Losing): void {
    sockets.add(from)
    from.on('error', () => to.destroy()).on('close', () => (sockets.delete(from), to.destroy()))
    from.on('data', (chunk) => {
      if (way === 'asked') asked += chunk.length
      if (way !== losing) to.write(chunk)
    })
  }

  const server = createServer((client) => {
    const target = connect({ host: '127.0.0.1', port: targetPort(), noDelay: true })
    carry(client, target, 'asked')
    carry(target, client, 'answered')
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('not listening')
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: address.port,
    lose: (what) => void (losing = what),
    asked: () => asked,
    cut,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      cut()
      return closed
    },
  }
}
