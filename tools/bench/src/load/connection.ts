// One HTTP/2 connection of the load generator. Requests consist of prepared bytes, and responses are counted by the
// first bytes of their frames, so the generator costs less than any measured server. The generator reuses memory,
// because its own garbage collections would count as the server's latency. It implements only what a load needs, but
// respects flow control and stream limits.
import * as net from 'node:net'
import type { HeaderBlocks } from './header-blocks.ts'
import { createOutgoing } from './outgoing.ts'
import { createStarts } from './starts.ts'

export type LoadConnection = {
  /** Sends the body on a new stream. Returns false if the window or the stream limit is exhausted. */
  request(body: Buffer, startedAt: number): boolean
  /** Writes the requests collected by `request`. */
  flush(): void
  inFlight(): number
  close(): void
}

export type OnAnswer = (status: number, startedAt: number) => void
/** Called with a piece of a response's body. */
export type OnData = (piece: Buffer) => void

const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
const windowBytes = 0x7fff_ffff - 65_535
const dataBytesMax = 16_384
const readBytes = 65_536
const nothing = Buffer.alloc(0)
const frameType = { data: 0, headers: 1, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const
const flag = { endStream: 1, ack: 1, endHeaders: 4 } as const
/** The statuses in HPACK's static table, from index 8 on (RFC 7541 Appendix A). */
const statusByIndex = [200, 204, 206, 304, 400, 404, 500]

export function openLoadConnection(options: {
  port: number
  headers: HeaderBlocks
  streamsMax: number
  onAnswer: OnAnswer
  onData: OnData
  /** Called when `request` may succeed again. */
  onRoom: () => void
  onEnd: (why: string) => void
}): Promise<LoadConnection> {
  const { port, headers, streamsMax, onAnswer, onData, onRoom, onEnd } = options
  const starts = createStarts()
  const answers = Buffer.allocUnsafe(readBytes)
  const socket = net.connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: answers,
      callback: (length) => {
        onBytes(answers.subarray(0, length))
        return true
      },
    },
  })
  const out = createOutgoing(socket)
  let nextId = 1
  let window = 65_535
  let streamWindow = 65_535
  let sending: Sending | undefined
  let rest: Buffer = nothing
  let isReady = false
  out.put(preface)
  out.put(frame(frameType.settings, 0, 0, nothing))
  out.put(frame(frameType.windowUpdate, 0, 0, uint32(windowBytes)))

  const sendMore = (): void => {
    while (sending !== undefined) {
      const room = Math.min(dataBytesMax, window, sending.window)
      if (room <= 0) return
      const piece = sending.left.subarray(0, room)
      sending.left = sending.left.subarray(room)
      sending.window -= piece.length
      window -= piece.length
      const isLast = sending.left.length === 0
      out.put(frame(frameType.data, isLast ? flag.endStream : 0, sending.id, piece))
      if (isLast) sending = undefined
    }
  }

  const onCredit = (id: number, credit: number): void => {
    if (id === 0) window += credit
    else if (id === sending?.id) sending.window += credit
    sendMore()
  }

  const onFrame = (type: number, flags: number, id: number, payload: Buffer): void => {
    switch (type) {
      case frameType.headers: {
        const startedAt = starts.take(id)
        if (!Number.isNaN(startedAt)) onAnswer(statusOf(payload), startedAt)
        return
      }
      case frameType.data:
        return onData(payload)
      case frameType.settings:
        isReady = true
        streamWindow = initialWindowIn(payload) ?? streamWindow
        if ((flags & flag.ack) === 0) out.put(frame(frameType.settings, flag.ack, 0, nothing))
        return
      case frameType.ping:
        if ((flags & flag.ack) === 0) out.put(frame(frameType.ping, flag.ack, 0, payload))
        return
      case frameType.windowUpdate:
        onCredit(id, payload.readUInt32BE(0) & 0x7fff_ffff)
        return
      case frameType.goAway:
        onEnd(`GOAWAY ${payload.readUInt32BE(4)}`)
        return
      default:
    }
  }

  function onBytes(chunk: Buffer): void {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let at = 0
    while (bytes.length - at >= 9) {
      const length = bytes.readUIntBE(at, 3)
      if (bytes.length - at < 9 + length) break
      const id = bytes.readUInt32BE(at + 5) & 0x7fff_ffff
      onFrame(bytes[at + 3] ?? 0, bytes[at + 4] ?? 0, id, bytes.subarray(at + 9, at + 9 + length))
      at += 9 + length
    }
    rest = at === bytes.length ? nothing : Buffer.from(bytes.subarray(at))
    onRoom()
    out.flush()
  }
  socket.on('error', (error) => onEnd(error.message))
  socket.on('close', () => onEnd('closed'))

  /** Writes HEADERS and one DATA frame. */
  const putSmall = (id: number, block: Buffer, body: Buffer): void => {
    const bytes = out.take(18 + block.length + body.length)
    const headers = { length: block.length, type: frameType.headers, flags: flag.endHeaders, id }
    writeFrameHead(bytes, 0, headers)
    block.copy(bytes, 9)
    const data = { length: body.length, type: frameType.data, flags: flag.endStream, id }
    writeFrameHead(bytes, 9 + block.length, data)
    body.copy(bytes, 18 + block.length)
  }

  const connection: LoadConnection = {
    request(body, startedAt) {
      if (!isReady || starts.count() >= streamsMax || sending !== undefined || window <= 0)
        return false
      const block = nextId === 1 ? headers.first : headers.later
      if (body.length <= Math.min(dataBytesMax, window)) {
        putSmall(nextId, block, body)
        window -= body.length
      } else {
        out.put(frame(frameType.headers, flag.endHeaders, nextId, block))
        sending = { id: nextId, left: body, window: streamWindow }
        sendMore()
      }
      starts.put(nextId, startedAt)
      nextId += 2
      return true
    },
    flush: () => out.flush(),
    inFlight: () => starts.count(),
    close: () => socket.destroy(),
  }
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('connect', () => {
      out.flush()
      resolve(connection)
    })
  })
}

function statusOf(block: Buffer): number {
  const byte = block[0] ?? 0
  if (byte >= 0x88 && byte <= 0x8e) return statusByIndex[byte - 0x88] ?? 0
  return 0
}

/** The unsent rest of a body, which waits for the windows. */
type Sending = { readonly id: number; left: Buffer; window: number }

/** Returns SETTINGS_INITIAL_WINDOW_SIZE (RFC 9113 6.5.2), if the frame has it. */
function initialWindowIn(settings: Buffer): number | undefined {
  for (let at = 0; at + 6 <= settings.length; at += 6)
    if (settings.readUInt16BE(at) === 4) return settings.readUInt32BE(at + 2)
  return undefined
}

type FrameHead = { length: number; type: number; flags: number; id: number }

function writeFrameHead(bytes: Buffer, at: number, { length, type, flags, id }: FrameHead): void {
  bytes.writeUIntBE(length, at, 3)
  bytes[at + 3] = type
  bytes[at + 4] = flags
  bytes.writeUInt32BE(id, at + 5)
}

function frame(type: number, flags: number, id: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(9 + payload.length)
  writeFrameHead(bytes, 0, { length: payload.length, type, flags, id })
  payload.copy(bytes, 9)
  return bytes
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
