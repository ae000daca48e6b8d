// Distinguishes HTTP/2 from HTTP/1.1 by the first bytes of a connection without TLS. A client with prior knowledge
// begins with a fixed preface (RFC 9113 3.4), and no HTTP/1.1 request begins like this. A first line that
// fits neither gets no response, because its sender would not understand one.
import type { Socket } from 'node:net'

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')

/** RFC 9112 3. An empty line may precede the request line. */
const requestLine = /^(\r?\n)?\S+ \S+ HTTP\/\d\.\d\r?$/

/** Returns false if the first line is complete and isn't a request line. */
function couldBeHttp1(bytes: Buffer): boolean {
  const end = bytes.indexOf('\n', 2)
  return end < 0 || requestLine.test(bytes.toString('latin1', 0, end))
}

/** Inspects the first bytes and puts them back. Disconnects a client that sends them too slowly. */
export function sniff(socket: Socket, timeoutMs: number, decide: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0)
  const timer = setTimeout(() => socket.destroy(), timeoutMs)
  const onReadable = (): void => {
    const chunk: Buffer | null = socket.read()
    if (chunk === null) return
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk])
    const compared = Math.min(seen.length, preface.length)
    const couldBe = seen.compare(preface, 0, compared, 0, compared) === 0
    if (couldBe && compared < preface.length) return
    finish()
    if (!couldBe && !couldBeHttp1(seen)) return void socket.destroy()
    socket.unshift(seen)
    decide(couldBe)
  }
  const finish = (): void => {
    clearTimeout(timer)
    socket.off('readable', onReadable).off('close', finish)
  }
  socket.on('readable', onReadable).on('close', finish)
}
