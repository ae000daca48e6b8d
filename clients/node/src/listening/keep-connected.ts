// Connects again and again while the stream may be listened to. The pauses grow while no connection stays open. Reports
// each gap.
import { setTimeout as pause } from 'node:timers/promises'
import { RejectedError } from '../errors.ts'
import { pauseMs } from '../retries.ts'
import type { Ending } from './endings.ts'
import type { Gap, Reconnect } from './options.ts'

export type Connecting = {
  /** Opens one connection, and resolves when it has ended. */
  readonly connect: (onOpen: () => void) => Promise<Ending>
  readonly signal: AbortSignal
  readonly onOpen: () => void
  readonly onGap: (gap: Gap) => void
  readonly onRetry: (retry: Reconnect) => void
}

/** This many refused tokens in a row are replaced. After them, a new token would be refused, too. */
const tokensRefusedMax = 2
const calmMs = 60_000

/** Resolves when `signal` is aborted. @throws RejectedError when the stream can't be listened to any more */
export async function keepConnected(options: Connecting): Promise<void> {
  const { signal } = options
  let failures = 0
  let tokensRefused = 0
  let lost: Lost | undefined
  while (!signal.aborted) {
    const { ending, openedAtMs } = await connectOnce(options, lost)
    if (signal.aborted) return
    if (ending.kind === 'final') throw ending.error
    const nowMs = performance.now()
    if (openedAtMs !== undefined) {
      lost = { reason: ending.reason, atMs: nowMs }
      tokensRefused = 0
    }
    failures = openedAtMs !== undefined && nowMs - openedAtMs > calmMs ? 1 : failures + 1
    tokensRefused += ending.kind === 'token' ? 1 : 0
    if (tokensRefused > tokensRefusedMax)
      throw new RejectedError('invalid_token', ending.reason, 401)
    const afterMs = ending.kind === 'again' ? ending.afterMs : undefined
    const waitMs = pauseMs(failures, afterMs, Math.random)
    if (openedAtMs === undefined)
      options.onRetry({ trouble: ending.reason, cause: causeOf(ending), waitMs })
    await pause(waitMs, undefined, { signal }).catch(() => undefined)
  }
}

const causeOf = (ending: Ending): unknown => (ending.kind === 'again' ? ending.cause : undefined)

type Lost = { readonly reason: string; readonly atMs: number }

async function connectOnce({ connect, onOpen, onGap }: Connecting, lost: Lost | undefined) {
  let openedAtMs: number | undefined
  const ending = await connect(() => {
    openedAtMs = performance.now()
    onOpen()
    if (lost !== undefined) onGap({ reason: lost.reason, ms: openedAtMs - lost.atMs })
  })
  return { ending, openedAtMs }
}
