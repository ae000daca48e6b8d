// A connection within this process. Its server end is similar enough to a socket for Node's server and for Express,
// without a network.
import type { Http2Session } from 'node:http2'
import { duplexPair } from 'node:stream'
import type { Duplex } from 'node:stream'

export type InProcessConnection = {
  clientEnd: Duplex
  /** Reports the address of the real client. */
  serverEnd: Duplex
}

export function createInProcessConnection(session: Http2Session | undefined): InProcessConnection {
  const [clientEnd, serverEnd] = duplexPair()
  clientEnd.on('error', () => {}) // the request reports the error
  serverEnd.on('error', () => {})
  const socket = session?.socket
  const nothing = (): Duplex => serverEnd // the HTTP/2 connection's time-outs apply
  Object.defineProperties(serverEnd, {
    remoteAddress: { value: socket?.remoteAddress },
    remoteFamily: { value: socket?.remoteFamily },
    remotePort: { value: socket?.remotePort },
    localAddress: { value: socket?.localAddress },
    localPort: { value: socket?.localPort },
    encrypted: { value: session?.encrypted === true },
    setTimeout: { value: nothing },
    setNoDelay: { value: nothing },
    setKeepAlive: { value: nothing },
  })
  return { clientEnd, serverEnd }
}
