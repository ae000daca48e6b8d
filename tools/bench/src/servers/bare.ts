// The baseline: Node's own HTTP/2 server. It reads a request's body and returns 204, without any work.
import * as http2 from 'node:http2'

const server = http2.createServer({ settings: { maxConcurrentStreams: 100 } })
server.on('stream', (stream) => {
  stream.on('error', () => {})
  stream.on('data', () => {})
  stream.on('end', () => {
    if (!stream.destroyed) stream.respond({ ':status': 204 }, { endStream: true })
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.stdout.write(`${JSON.stringify({ msg: 'listening', port })}\n`)
})
