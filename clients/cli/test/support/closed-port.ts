// Finds a port of this machine without a listener: it was free a moment ago.
import { once } from 'node:events'
import { createServer } from 'node:net'

export async function closedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address !== null ? address.port : 0
}
