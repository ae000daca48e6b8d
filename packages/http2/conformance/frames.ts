// Hand-written HTTP/2 frames, for bytes that no well-behaved client sends.
import * as net from 'node:net'
import { withTimeout } from '@weir/kit'

export const frameTypes = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goAway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const
export const endStream = 1
export const ack = 1
export const endHeaders = 4
export const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
export const codes = {
  noError: 0,
  protocolError: 1,
  flowControlError: 3,
  refusedStream: 7,
  cancel: 8,
  enhanceYourCalm: 11,
} as const

const deadlineMs = 60_000
const nothing: Buffer = Buffer.alloc(0)

export function frame(
  type: number,
  flags: number,
  streamId: number,
  payload: Buffer = nothing,
): Buffer {
  const bytes = Buffer.alloc(9 + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(streamId, 5)
  payload.copy(bytes, 9)
  return bytes
}

export function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** A string in HPACK without Huffman coding. */
export const text = (value: string): Buffer =>
  Buffer.concat([Buffer.of(value.length), Buffer.from(value)])

/** The header block of a POST without compression (RFC 7541). */
export const postHead = (path: string): Buffer =>
  Buffer.concat([Buffer.of(0x83, 0x86, 0x04), text(path), Buffer.of(0x01), text('x')])

/** A field that isn't added to the dynamic table. */
export const literal = (name: string, value: string): Buffer =>
  Buffer.concat([Buffer.of(0), text(name), text(value)])

export const headers = (id: number, block: Buffer, flags = endHeaders | endStream): Buffer =>
  frame(frameTypes.headers, flags, id, block)
export const post = (id: number, path: string, flags = endHeaders | endStream): Buffer =>
  headers(id, postHead(path), flags)
export const data = (id: number, payload: Buffer, flags = 0): Buffer =>
  frame(frameTypes.data, flags, id, payload)
export const reset = (id: number, code: number = codes.cancel): Buffer =>
  frame(frameTypes.reset, 0, id, number(code))
export const windowUpdate = (id: number, credit: number): Buffer =>
  frame(frameTypes.windowUpdate, 0, id, number(credit))
export const settings = (...pairs: readonly (readonly [id: number, value: number])[]): Buffer => {
  const payload = Buffer.alloc(6 * pairs.length)
  pairs.forEach(([id, value], i) => {
    payload.writeUInt16BE(id, 6 * i)
    payload.writeUInt32BE(value, 6 * i + 2)
  })
  return frame(frameTypes.settings, 0, 0, payload)
}
export const initialWindow = 4

export const streamIds = (count: number): number[] =>
  Array.from({ length: count }, (_, i) => 2 * i + 1)
export const times = (count: number, make: (i: number) => Buffer): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, i) => make(i)))

export const resetWith = (code: number): Buffer => reset(1, code)

/** Opens a connection on which stream 1 is a POST whose body never ends. */
export function halfRequest(port: number, path: string): net.Socket {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => {})
  socket.resume()
  socket.write(Buffer.concat([preface, settings(), post(1, path, endHeaders)]))
  socket.write(data(1, Buffer.from('half')))
  return socket
}

export type Frame = { type: number; flags: number; stream: number; payload: Buffer }

export function framesIn(bytes: Buffer): { frames: Frame[]; size: number } {
  const frames: Frame[] = []
  let at = 0
  while (bytes.length - at >= 9) {
    const end = at + 9 + bytes.readUIntBE(at, 3)
    if (end > bytes.length) break
    frames.push({
      type: bytes[at + 3] ?? 0,
      flags: bytes[at + 4] ?? 0,
      stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
      payload: bytes.subarray(at + 9, end),
    })
    at = end
  }
  return { frames, size: at }
}

/** Opens a connection, and sends the preface and settings. */
export function connectByHand(port: number, first: Buffer = settings()) {
  const socket = net.connect(port, '127.0.0.1')
  const frames: Frame[] = []
  let rest: Buffer = nothing
  const watchers = new Set<() => void>()
  const look = (): void => watchers.forEach((watch) => watch())
  socket.on('error', () => {})
  socket.on('data', (chunk: Buffer) => {
    const read = framesIn(Buffer.concat([rest, chunk]))
    frames.push(...read.frames)
    rest = Buffer.concat([rest, chunk]).subarray(read.size)
    look()
  })
  socket.on('close', () => look())
  socket.write(Buffer.concat([preface, first]))

  /** Resolves with the first accepted frame. Rejects if the connection closes first. */
  const until = (accept: (frame: Frame) => boolean): Promise<Frame> =>
    withTimeout(
      new Promise((resolve, reject) => {
        const watch = (): void => {
          const found = frames.find(accept)
          if (found !== undefined) resolve(found)
          else if (socket.destroyed) reject(new Error('the connection closed'))
          else return void watchers.add(watch)
          watchers.delete(watch)
        }
        watch()
      }),
      deadlineMs,
      'a frame',
    )
  return {
    socket,
    frames,
    until,
    send: (...pieces: readonly Buffer[]): void => void socket.write(Buffer.concat(pieces)),
    /** Resolves with the code of the GOAWAY. */
    async goneAway(): Promise<number> {
      return (await until(({ type }) => type === frameTypes.goAway)).payload.readUInt32BE(4)
    },
    /** Resolves with the code of the RST_STREAM. */
    async wasReset(id: number): Promise<number> {
      const found = await until(({ type, stream }) => type === frameTypes.reset && stream === id)
      return found.payload.readUInt32BE(0)
    },
    answered: (id: number): Promise<Frame> =>
      until(({ type, stream }) => type === frameTypes.headers && stream === id),
    closed: (): Promise<boolean> =>
      withTimeout(
        new Promise((resolve) => {
          if (socket.destroyed) resolve(true)
          socket.on('close', () => resolve(true))
        }),
        deadlineMs,
        'closing',
      ),
  }
}
export type ByHand = ReturnType<typeof connectByHand>
