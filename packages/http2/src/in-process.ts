// A connection within this process: the end that an `http.Server` gets looks enough like a socket for
// Node's server and for Express, though nothing of it is on a network.
import type { Http2Session } from 'node:http2'
import { duplexPair } from 'node:stream'
import type { Duplex } from 'node:stream'

export type InProcessConnection = {
  clientEnd: Duplex
  /** Carries the address of the client who is really there. */
  serverEnd: Duplex
}

export function createInProcessConnection(session: Http2Session | undefined): InProcessConnection {
  const [clientEnd, serverEnd] = duplexPair()
  clientEnd.on('error', () => {}) // the request on it tells
  serverEnd.on('error', () => {})
  const socket = session?.socket
  const nothing = (): Duplex => serverEnd // the time-outs of the HTTP/2 connection hold
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
