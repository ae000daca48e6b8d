// The output of one connection. Frames are collected in one buffer and written together, once per turn of the event
// loop, so that a hundred responses are one write.
import type { Socket } from 'node:net'
import { frameHeadBytes, frameType } from './frames.ts'

const startBytes = 4_096
const uncopiedBytesMin = 4_096
/** While more output than this is unsent, we neither read from the peer nor write bodies. */
const outputBytesMax = 262_144

export type FrameHead = { length: number; type: number; flags: number; stream: number }

export class FrameOutput {
  #socket: Socket
  #bytes = Buffer.allocUnsafe(startBytes)
  #length = 0
  /** Sent before `#bytes`. */
  #queue: Buffer[] = []
  #queuedBytes = 0
  #scheduled = false
  #onRoom: (() => void) | undefined
  readonly #flushLater = (): void => {
    this.#scheduled = false
    this.flush()
  }

  constructor(socket: Socket) {
    this.#socket = socket
    socket.on('drain', () => this.#tellRoom())
  }

  /** Whether too much output is unsent, because the peer doesn't read. */
  get isFull(): boolean {
    return this.pendingBytes > outputBytesMax
  }

  /** Calls `then` once the peer has read enough. */
  whenRoom(then: () => void): void {
    this.#onRoom = then
  }

  /** Bytes that the socket hasn't sent yet. */
  get pendingBytes(): number {
    return this.#length + this.#queuedBytes + this.#socket.writableLength
  }

  frame(head: FrameHead, payload?: Uint8Array): void {
    const at = this.#head(head)
    if (payload !== undefined) this.#bytes.set(payload, at)
  }

  /** Like `frame`, for data of a body. Large data is sent without a copy. */
  bodyFrame(head: FrameHead, payload: Buffer): void {
    if (payload.length < uncopiedBytesMin) return this.frame(head, payload)
    this.#head(head, 0)
    const before = this.#bytes.subarray(0, this.#length)
    this.#queue.push(before, payload)
    this.#queuedBytes += before.length + payload.length
    this.#bytes = this.#bytes.subarray(this.#length)
    this.#length = 0
  }

  /** Writes the HEADERS of a response: its block, and `date` unless the block has one. */
  headers(
    stream: number,
    flags: number,
    { block, date }: { block: Buffer; date: Buffer | undefined },
  ): void {
    const length = block.length + (date?.length ?? 0)
    const at = this.#head({ length, type: frameType.headers, flags, stream })
    this.#bytes.set(block, at)
    if (date !== undefined) this.#bytes.set(date, at + block.length)
  }

  /** Writes a frame whose payload is one number: WINDOW_UPDATE, RST_STREAM. */
  numberFrame(type: number, stream: number, value: number): void {
    const at = this.#reserve(frameHeadBytes + 4)
    const bytes = this.#bytes
    bytes.writeUInt32BE(0x0000_0400 | type, at) // length 4, type
    bytes[at + 4] = 0
    bytes.writeUInt32BE(stream, at + 5)
    bytes.writeUInt32BE(value, at + 9)
  }

  windowUpdate(stream: number, credit: number): void {
    this.numberFrame(frameType.windowUpdate, stream, credit)
  }

  flush(): void {
    if (this.#length + this.#queuedBytes === 0 || this.#socket.destroyed) return
    const isCorked = this.#queue.length > 0
    if (isCorked) this.#writeQueue()
    const full = this.#bytes.subarray(0, this.#length)
    this.#bytes = Buffer.allocUnsafe(startBytes)
    this.#length = 0
    if (full.length > 0) this.#socket.write(full)
    if (isCorked) this.#socket.uncork()
    // A write that the kernel accepted completely emits no `drain`.
    if (this.#onRoom !== undefined && !this.isFull) this.#tellRoom()
  }

  #writeQueue(): void {
    this.#socket.cork()
    for (const bytes of this.#queue) this.#socket.write(bytes)
    this.#queue = []
    this.#queuedBytes = 0
  }

  #tellRoom(): void {
    const then = this.#onRoom
    this.#onRoom = undefined
    then?.()
  }

  /** Writes the frame's head, and returns the offset for the payload. */
  #head({ length, type, flags, stream }: FrameHead, room = length): number {
    const at = this.#reserve(frameHeadBytes + room)
    const bytes = this.#bytes
    bytes[at] = length >> 16
    bytes[at + 1] = length >> 8
    bytes[at + 2] = length
    bytes[at + 3] = type
    bytes[at + 4] = flags
    bytes.writeUInt32BE(stream, at + 5)
    return at + frameHeadBytes
  }

  #reserve(count: number): number {
    if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(this.#flushLater)
    }
    const at = this.#length
    this.#length += count
    if (this.#length > this.#bytes.length) {
      // Grows in large steps, because each outgrown buffer becomes garbage.
      const larger = Buffer.allocUnsafe(Math.max(this.#length, this.#bytes.length * 8, 1_024))
      this.#bytes.copy(larger, 0, 0, at)
      this.#bytes = larger
    }
    return at
  }
}
