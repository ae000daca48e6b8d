// Reads a request's body with limits of size and time. The stream is drained, so that its connection can carry further
// requests.
import type { Readable } from 'node:stream'
import { dropBytesMax } from './bounds.ts'
import { Http2Error } from './errors.ts'

export type BodyBounds = {
  bytesMax: number
  timeoutMs: number
  /** The value of the request's header, if present. */
  contentLength: number | undefined
  /** Returns whether an ended stream had its complete body. */
  isComplete: () => boolean
  /** Ends a request whose body is too long or slow. */
  cut: () => void
}

type DrainBounds = Pick<BodyBounds, 'bytesMax' | 'timeoutMs' | 'cut'>

/** See `HttpRequest.body`. */
export function readBody(stream: Readable, bounds: BodyBounds): Promise<Buffer | undefined> {
  const { bytesMax, timeoutMs, contentLength, isComplete, cut } = bounds
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    let tooLarge = contentLength !== undefined && contentLength > bytesMax
    const timer = setTimeout(() => {
      finish(() => reject(aborted('the body took too long')))
    }, timeoutMs)
    const finish = (settle: () => void): void => {
      clearTimeout(timer)
      stream.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose)
      settle()
    }
    const onData = (chunk: Buffer): void => {
      bytes += chunk.length
      tooLarge ||= bytes > bytesMax
      if (!tooLarge) return void chunks.push(chunk)
      chunks.length = 0
      if (bytes <= dropBytesMax) return
      finish(() => resolve(undefined))
      void drain(stream, { bytesMax: 0, timeoutMs, cut })
    }
    const onClose = (): void => finish(() => reject(aborted('the client went away')))
    const onEnd = (): void => {
      if (!isComplete()) return onClose()
      finish(() => resolve(tooLarge ? undefined : joined(chunks)))
    }
    stream.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
    if (stream.readableEnded) onEnd()
    else if (stream.destroyed) onClose()
  })
}

/** Reads and drops the rest of the body. Calls `cut` if a limit is exceeded. Resolves in both cases. */
export function drain(stream: Readable, { bytesMax, timeoutMs, cut }: DrainBounds): Promise<void> {
  return new Promise((resolve) => {
    if (stream.readableEnded || stream.destroyed) return resolve()
    let bytes = 0
    const ended = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const over = (): void => {
      ended()
      stream.pause()
      cut()
    }
    const timer = setTimeout(over, timeoutMs)
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bytesMax) over()
    })
    stream.on('error', ended).once('close', ended).once('end', ended)
    stream.resume()
  })
}

export const contentLengthOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined

const joined = (chunks: readonly Buffer[]): Buffer =>
  chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)

const aborted = (message: string): Http2Error => new Http2Error('http2.aborted', message)
