// Header blocks of real clients, recorded from Node's own HTTP/2 client, which uses nghttp2 like curl and h2load. The
// first request fills the connection's table, and later ones mostly refer to it. But `authorization` is sent in full
// each time, because it is never put into a table (RFC 7541 7.1.3).
import * as http2 from 'node:http2'
import * as net from 'node:net'

/** Name and value; pseudo-headers first. */
export type HeaderList = readonly (readonly [name: string, value: string])[]

export type HeaderBlocks = { readonly first: Buffer; readonly later: Buffer }

const settings = Buffer.from('000000040000000000', 'hex')
const settingsAck = Buffer.from('000000040100000000', 'hex')
const prefaceBytes = 24
const headersType = 1
const priorityFlag = 0x20

export async function recordHeaders(headers: HeaderList): Promise<HeaderBlocks> {
  const { promise, resolve, reject } = Promise.withResolvers<HeaderBlocks>()
  const server = net.createServer((socket) => {
    let bytes = Buffer.alloc(0)
    socket.write(Buffer.concat([settings, settingsAck]))
    socket.on('error', reject)
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      const [first, later] = blocksIn(bytes)
      if (first !== undefined && later !== undefined) resolve({ first, later })
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const client = http2.connect(`http://127.0.0.1:${port}`)
  client.on('error', reject)
  for (let count = 0; count < 2; count += 1)
    // the request is never answered
    client.request(Object.fromEntries(headers)).on('error', () => {})
  try {
    return await promise
  } finally {
    client.destroy()
    server.close()
  }
}

function blocksIn(bytes: Buffer): Buffer[] {
  const blocks: Buffer[] = []
  for (let at = prefaceBytes; at + 9 <= bytes.length;) {
    const start = at + 9
    const end = start + bytes.readUIntBE(at, 3)
    if (end > bytes.length) break
    const hasPriority = ((bytes[at + 4] ?? 0) & priorityFlag) !== 0
    if (bytes[at + 3] === headersType)
      blocks.push(bytes.subarray(hasPriority ? start + 5 : start, end))
    at = end
  }
  return blocks
}
