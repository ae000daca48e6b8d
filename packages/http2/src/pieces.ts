// Reads request bodies and writes response bodies in pieces, over Node's own HTTP, as fast as the client. The time-outs
// require progress, not completion.
import type { Readable, Writable } from 'node:stream'
import type { HttpResponse } from './types.ts'
import { Http2Error } from './errors.ts'

/** Fewer bytes within the time-out for a whole body don't count as progress. */
export const progressBytesMin = 1_024

export const isInPieces = (body: HttpResponse['body']): body is AsyncIterable<Buffer> =>
  typeof body === 'object' && !Buffer.isBuffer(body)

type ReadBounds = {
  timeoutMs: number
  /** Returns whether an ended stream had its complete body. */
  isComplete: () => boolean
}

/** See `HttpRequest.chunks`. */
export async function* readPieces(
  stream: Readable,
  { timeoutMs, isComplete }: ReadBounds,
): AsyncGenerator<Buffer, void, void> {
  const waiter = createWaiter()
  const events = ['readable', 'end', 'close', 'error'] as const
  for (const event of events) stream.on(event, waiter.wake)
  let deadlineMs = performance.now() + timeoutMs
  let bytes = 0
  try {
    for (;;) {
      const piece: Buffer | null = stream.read()
      if (piece !== null) {
        bytes += piece.length
        const gaveMs = performance.now()
        yield piece
        deadlineMs += performance.now() - gaveMs // this was the handler's time, not the client's
        if (bytes < progressBytesMin) continue
        bytes = 0
        deadlineMs = performance.now() + timeoutMs
      } else if (stream.readableEnded) {
        if (isComplete()) return
        throw goneAway()
      } else if (stream.destroyed) throw goneAway()
      else if (!(await waiter.isWoken(deadlineMs)))
        throw new Http2Error('http2.aborted', 'the body took too long')
    }
  } finally {
    for (const event of events) stream.off(event, waiter.wake)
  }
}

/**
 * Writes the pieces, without ending the stream. Throws Http2Error `http2.aborted` if the client goes away or stops
 * reading.
 */
export async function writePieces(
  stream: Writable,
  pieces: AsyncIterable<Buffer>,
  timeoutMs: number,
): Promise<void> {
  const waiter = createWaiter()
  const events = ['drain', 'close', 'error'] as const
  for (const event of events) stream.on(event, waiter.wake)
  try {
    for await (const piece of pieces) {
      if (stream.destroyed) throw goneAway()
      if (stream.write(piece)) continue
      const deadlineMs = performance.now() + timeoutMs
      while (stream.writableNeedDrain && !stream.destroyed)
        if (!(await waiter.isWoken(deadlineMs)))
          throw new Http2Error('http2.aborted', 'the answer was not taken')
    }
  } finally {
    for (const event of events) stream.off(event, waiter.wake)
  }
}

/** Waits for one of several events, or a deadline. */
function createWaiter() {
  let wakeUp: (isWoken: boolean) => void = () => {}
  return {
    wake: (): void => wakeUp(true),
    async isWoken(deadlineMs: number): Promise<boolean> {
      const woken = new Promise<boolean>((resolve) => (wakeUp = resolve))
      const timer = setTimeout(() => wakeUp(false), Math.max(0, deadlineMs - performance.now()))
      const isWoken = await woken
      clearTimeout(timer)
      return isWoken
    },
  }
}

export const goneAway = (): Http2Error => new Http2Error('http2.aborted', 'the client went away')
