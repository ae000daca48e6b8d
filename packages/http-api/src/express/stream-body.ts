// Sends a body while it is created, as fast as the client reads. A client that stops reading is disconnected. If the
// rest of a body can't be created, the client is disconnected, too, because the head of the response is already sent.
import type { Response } from 'express'
import type { RouteAnswer } from './answer.ts'

/** Writes bytes, and resolves when more can be written. Rejects if the client is gone, or stops reading. */
export type Write = (bytes: Uint8Array) => Promise<void>

export type StreamedBody = {
  /** Called once, even if the client disconnects. */
  stream(write: Write): Promise<void>
}

/** The maximum time without progress while data waits for the client. */
const stalledMs = 30_000

export const isStreamed = (body: unknown): body is StreamedBody =>
  typeof body === 'object' && body !== null && 'stream' in body && typeof body.stream === 'function'

/** Sends head and body. Rethrows what `stream` throws, unless the client is gone. */
export async function sendStreamed(
  res: Response,
  { status, headers }: RouteAnswer,
  body: StreamedBody,
): Promise<void> {
  res.statusCode = status
  res.setHeader('cache-control', 'no-store')
  for (const [name, value] of Object.entries(headers ?? {})) res.setHeader(name, value)
  res.flushHeaders()
  const client = watch(res)
  try {
    await body.stream(client.write)
    res.end()
  } catch (error) {
    if (!client.isGone()) throw error
    res.destroy()
  }
}

function watch(res: Response) {
  const isHead = res.req.method === 'HEAD'
  let isGone = isHead || res.closed
  res.once('close', () => void (isGone = true))

  async function room(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const giveUp = (): void => {
      isGone = true
      reject(gone())
    }
    const timer = setTimeout(giveUp, stalledMs)
    res.once('drain', resolve).once('close', giveUp)
    try {
      await promise
    } finally {
      clearTimeout(timer)
      res.off('drain', resolve).off('close', giveUp)
    }
  }

  return {
    isGone: () => isGone,
    async write(bytes: Uint8Array): Promise<void> {
      if (isGone) throw gone()
      if (bytes.length > 0 && !res.write(bytes)) await room()
    },
  }
}

const gone = (): Error => new Error('the client is gone')
