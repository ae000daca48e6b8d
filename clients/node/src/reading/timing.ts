// Limits how long a caller waits for work that cannot be stopped. The caller continues, and the work ends later.
import { setTimeout as delay } from 'node:timers/promises'
import { ReadError } from '../errors.ts'

export const silence = 'no response in time'
export const isSilence = (error: unknown): boolean =>
  error instanceof Error && error.message === silence

/** @throws ReadError `closed` as soon as the signal is aborted */
export function untilEnded<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = (): void => reject(new ReadError('closed', 'reading was ended', signal.reason))
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', end))
  })
}

export async function within<T>(work: Promise<T>, ms: number): Promise<T> {
  const timer = new AbortController()
  const late = delay(Math.max(ms, 0), undefined, { signal: timer.signal }).then(() => {
    throw new Error(silence)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    late.catch(() => undefined)
    timer.abort()
  }
}
