// One stream: the request for its handler, the incoming body, and the unsent part of the response.
import { dropBytesMax } from '../bounds.ts'
import { goneAway, progressBytesMin } from '../pieces.ts'
import type { HttpRequest } from '../types.ts'
import type { Clock } from './clock.ts'
import { streamWindow } from './frames/peer-settings.ts'
import type { PeerSettings } from './frames/peer-settings.ts'
import type { RequestHead } from './head/request-head.ts'

const nothing = Buffer.alloc(0)
const keptBytesMin = 1_024

/** The functions of the connection that a stream needs. */
export type StreamHost = {
  readonly peer: PeerSettings
  readonly clock: Clock
  /** Called when a reader waits for the rest of the stream's body. */
  onBodyWanted: (stream: H2Stream) => void
}

type Reader = {
  bytesMax: number
  resolve: (body: Buffer | undefined) => void
  reject: (error: unknown) => void
}

export class H2Stream implements HttpRequest {
  readonly id: number
  readonly head: RequestHead
  readonly openedMs: number
  /** The request is complete. */
  isEnded = false
  /** Nobody waits for the rest of the body any more. */
  isCut = false
  isClosed = false
  /** A handler is working on the request. */
  isAtWork = false
  /** The bytes of the response's body that we may still send. */
  sendWindow: number
  /** The bytes of the request's body that the client may still send. */
  receiveWindow = streamWindow
  /** The memory of the body. The connection has counted `countedBytes` of it. */
  heldBytes = 0
  countedBytes = 0
  /** The part of the counted memory that belongs to an incomplete body. */
  unfinishedBytes = 0
  bodyBytes = 0
  lastProgressMs: number
  /** The rest of the response's body that isn't sent yet. */
  unsent: Buffer = nothing
  /** Called when all of `unsent` is sent, if more of the response follows. */
  whenSent: (() => void) | undefined
  readonly #host: StreamHost
  #kept: Buffer = nothing
  #keptBytes = 0
  #isDropping = false
  #reader: Reader | undefined
  #whenOver: (() => void) | undefined
  /** The body is read in pieces. The handler uses a piece of `#usedBytes`. */
  #isInPieces = false
  #usedBytes = 0
  #droppedFrom = 0
  #onPiece: (() => void) | undefined
  #progressMs = 0
  #progressBytes = 0

  constructor(id: number, head: RequestHead, host: StreamHost) {
    this.id = id
    this.head = head
    this.sendWindow = host.peer.initialWindow
    this.openedMs = host.clock.nowMs
    this.lastProgressMs = host.clock.nowMs
    this.#host = host
  }

  get method(): string {
    return this.head.method
  }
  get path(): string {
    return this.head.path
  }
  get query(): string {
    return this.head.query
  }
  header(name: string): string | undefined {
    return this.head.first(name)
  }
  headerCount(name: string): number {
    return this.head.count(name)
  }

  /** More than `dropBytesMax` bytes were dropped, so reading more is useless. */
  get isEndless(): boolean {
    return this.#isDropping && this.bodyBytes - this.#droppedFrom > dropBytesMax
  }

  /** Whether a reader waits for more of the body, or the rest is dropped. */
  get wantsBody(): boolean {
    if (this.isEnded || this.isCut || this.isClosed) return false
    if (this.#isInPieces && this.#keptBytes === 0) return true
    return this.#isDropping || this.#reader !== undefined
  }

  /** The time since which the client owes more of the body; undefined if it owes nothing. */
  get owedSinceMs(): number | undefined {
    if (this.isEnded || this.isCut) return undefined
    if (!this.#isInPieces) return this.openedMs
    return this.#isDropping || this.#onPiece !== undefined ? this.#progressMs : undefined
  }

  /** Whether the response waits for the body's end. */
  get isAnswered(): boolean {
    return this.#whenOver !== undefined
  }

  /** See `HttpRequest.body`. */
  body(bytesMax: number): Buffer | undefined | Promise<Buffer | undefined> {
    if (this.isClosed) return Promise.reject(goneAway())
    if (Math.max(this.bodyBytes, this.head.contentLength ?? 0) > bytesMax) this.#drop()
    if (this.isEnded) return this.#isDropping ? undefined : this.#take()
    return new Promise((resolve, reject) => {
      this.#reader = { bytesMax, resolve, reject }
      this.#host.onBodyWanted(this)
    })
  }

  /** See `HttpRequest.chunks`. Data of one turn of the event loop forms one piece. */
  async *chunks(): AsyncGenerator<Buffer, void, void> {
    this.#isInPieces = true
    this.#progressMs = this.#host.clock.nowMs
    for (;;) {
      this.#host.onBodyWanted(this)
      if (this.isClosed || this.#isDropping) throw goneAway()
      if (this.#keptBytes > 0) {
        const takenMs = this.#host.clock.nowMs
        yield this.#takePiece()
        this.#usedBytes = 0
        this.#keep(this.#kept, this.#keptBytes)
        // this was the handler's time, not the client's
        this.#progressMs += this.#host.clock.nowMs - takenMs
      } else if (this.isEnded) return
      else {
        await new Promise<void>((resolve) => (this.#onPiece = resolve))
        this.#onPiece = undefined
      }
    }
  }

  receive(chunk: Buffer, isLast: boolean): void {
    this.bodyBytes += chunk.length
    if (this.#isInPieces) this.#notePiece()
    if (this.#isDropping) return
    if (this.#reader !== undefined && this.bodyBytes > this.#reader.bytesMax) return this.#drop()
    if (isLast && this.#keptBytes === 0) this.#keep(chunk, chunk.length)
    else this.#append(chunk)
  }

  end(): void {
    this.isEnded = true
    this.#settle()
  }

  /** Stops waiting for the body. Its reader gets undefined. */
  cutShort(): void {
    this.isCut = true
    this.#drop()
    this.#settle()
  }

  /** Drops the rest of the body, and then calls `then`, because a response must not overtake its request. */
  dropRest(then: () => void): void {
    if (this.#isInPieces) this.#droppedFrom = this.bodyBytes
    this.#progressMs = this.#host.clock.nowMs
    this.#drop()
    this.#whenOver = then
  }

  /** Rejects the body's reader, because the rest won't arrive. */
  close(): void {
    this.isClosed = true
    this.#kept = nothing
    this.#whenOver = undefined
    this.unsent = nothing
    const reader = this.#reader
    this.#reader = undefined
    reader?.reject(goneAway())
    this.#onPiece?.()
    this.whenSent?.()
  }

  #settle(): void {
    const reader = this.#reader
    this.#reader = undefined
    reader?.resolve(this.#isDropping ? undefined : this.#take())
    const whenOver = this.#whenOver
    this.#whenOver = undefined
    whenOver?.()
    this.#onPiece?.()
  }

  #notePiece(): void {
    if (this.bodyBytes - this.#progressBytes >= progressBytesMin) {
      this.#progressBytes = this.bodyBytes
      this.#progressMs = this.#host.clock.nowMs
    }
    this.#onPiece?.()
  }

  #drop(): void {
    this.#isDropping = true
    this.#keep(nothing, 0)
  }

  #keep(bytes: Buffer, count: number): void {
    this.#kept = bytes
    this.#keptBytes = count
    // Only the written part of a large buffer uses memory.
    this.heldBytes = Math.max(count, Math.min(bytes.length, keptBytesMin)) + this.#usedBytes
  }

  /** Copies the chunk, because even a small chunk would keep its whole socket buffer in memory. */
  #append(chunk: Buffer): void {
    const bytes = this.#keptBytes + chunk.length
    let kept = this.#kept
    if (bytes > kept.length) {
      kept = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * kept.length, keptBytesMin))
      this.#kept.copy(kept, 0, 0, this.#keptBytes)
    }
    chunk.copy(kept, this.#keptBytes)
    this.#keep(kept, bytes)
  }

  /** Returns a piece, which counts as held until the next one is requested. */
  #takePiece(): Buffer {
    this.#usedBytes = this.#kept.length
    const piece = this.#take()
    this.#host.onBodyWanted(this)
    return piece
  }

  /** Returns the body, which counts as held until the handler has answered. */
  #take(): Buffer {
    const body = this.#kept.subarray(0, this.#keptBytes)
    this.#kept = nothing
    this.#keptBytes = 0
    return body
  }
}
