// A broker that responds only to ApiVersions and Metadata, with a throttle time or not at all. Written from Kafka's
// protocol guide.
import { createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'

import { Writer } from '@platformatic/kafka'

type Asked = {
  readonly topics: readonly string[]
  readonly atMs: number
  readonly connection: number
}

export type ListedBroker = {
  readonly address: string
  /** The Metadata requests that arrived. */
  readonly asked: readonly Asked[]
  close(): Promise<void>
}

export type ListedBrokerOptions = {
  /** The highest supported versions, by default 12 for Metadata and 4 for ApiVersions. */
  readonly metadataMax?: number
  readonly apiVersionsMax?: number
  /** The response to a request: a throttle time, or silence. */
  reply?(asked: Asked): { readonly throttleMs: number } | 'silence'
}

const METADATA = 3
const API_VERSIONS = 18
const UNSUPPORTED_VERSION = 35
const UUID_BYTES = 16

export async function startListedBroker(options: ListedBrokerOptions = {}): Promise<ListedBroker> {
  const { metadataMax = 12, apiVersionsMax = 4, reply = () => ({ throttleMs: 0 }) } = options
  const asked: Asked[] = []
  const sockets: Socket[] = []
  let port = 0

  function metadata(body: Buffer, connection: number): Writer | undefined {
    const request = { topics: topicsIn(body), atMs: performance.now(), connection }
    asked.push(request)
    const how = reply(request)
    return how === 'silence' ? undefined : metadataAnswer(port, request.topics, how.throttleMs)
  }

  const server = createServer((socket) => {
    const connection = sockets.push(socket)
    socket.on('error', () => socket.destroy())
    let rest = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
        const frame = rest.subarray(4, 4 + rest.readInt32BE(0))
        rest = rest.subarray(4 + frame.length)
        const isMetadata = frame.readInt16BE(0) === METADATA
        const answer = isMetadata
          ? metadata(bodyOf(frame), connection)
          : versionsAnswer(metadataMax, apiVersionsMax)
        if (answer) socket.write(framed(frame.readInt32BE(4), answer, isMetadata))
      }
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  port = portOf(server.address())
  return {
    address: `127.0.0.1:${port}`,
    asked,
    close: () =>
      new Promise((closed) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => closed())
      }),
  }
}

// header = key:2 version:2 correlation:4 clientId:(2 + n) tags:1
const bodyOf = (frame: Buffer): Buffer => frame.subarray(8 + 2 + frame.readInt16BE(8) + 1)

// body = (count + 1):1 *(id:16 (length + 1):1 name tags:1) …
function topicsIn(body: Buffer): string[] {
  const topics: string[] = []
  let at = 1
  for (let count = body.readUInt8(0) - 1; count > 0; count--) {
    const start = at + UUID_BYTES + 1
    const end = start + body.readUInt8(start - 1) - 1
    topics.push(body.toString('utf8', start, end))
    at = end + 1
  }
  return topics
}

function versionsAnswer(metadataMax: number, apiVersionsMax: number): Writer {
  // A broker that doesn't support the requested version responds in version 0.
  if (apiVersionsMax < 3) return Writer.create().appendInt16(UNSUPPORTED_VERSION).appendInt32(0)
  const versions = [
    [METADATA, 0, metadataMax],
    [API_VERSIONS, 0, apiVersionsMax],
  ]
  return Writer.create()
    .appendInt16(0)
    .appendArray(versions, (to, numbers) => numbers.forEach((number) => to.appendInt16(number)))
    .appendInt32(0)
    .appendTaggedFields()
}

function metadataAnswer(port: number, topics: readonly string[], throttleMs: number): Writer {
  const [node, none] = [7, Writer.create().appendUnsignedVarInt(1).buffer]
  return Writer.create()
    .appendInt32(throttleMs)
    .appendArray([node], (to, id) =>
      to.appendInt32(id).appendString('127.0.0.1').appendInt32(port).appendString(null),
    )
    .appendString('cluster')
    .appendInt32(node)
    .appendArray([...topics], (to, topic) =>
      to
        .appendInt16(0)
        .appendString(topic)
        .appendUUID(null)
        .appendBoolean(false)
        .append(none)
        .appendInt32(0),
    )
    .appendTaggedFields()
}

function framed(correlationId: number, answer: Writer, isTagged: boolean): Buffer {
  const header = Writer.create().appendInt32(correlationId)
  if (isTagged) header.appendTaggedFields()
  return header.appendFrom(answer).prependLength().buffer
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('not listening')
  return address.port
}
