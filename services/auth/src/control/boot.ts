// The steps before auth is ready, in sequence. Each is retried until it succeeds. /health/ready names the current step.
import { backoff, delay } from '@weir/kit'
import type { Log } from '@weir/kit'

export type BootStep = {
  /** The text in /health/ready until this step succeeds. */
  readonly reason: string
  run(): Promise<void>
}

export type Boot = {
  /** Resolves when all steps have succeeded, or after `stop`. */
  run(): Promise<void>
  /** Returns the reason of the current step; nothing when all steps have succeeded. */
  notReady(): string[]
  stop(): void
}

export function createBoot(steps: readonly BootStep[], log: Log): Boot {
  const stopping = new AbortController()
  const { signal } = stopping
  let waitingFor = steps[0]

  const insist = async ({ reason, run }: BootStep): Promise<void> => {
    for (const pauseMs of backoff({ minMs: 200, maxMs: 5_000 })) {
      if (signal.aborted) return
      try {
        return await run()
      } catch (error) {
        if (!signal.aborted) log.warn({ err: error, reason }, 'not ready yet; trying again')
        await delay(pauseMs, signal).catch(() => undefined)
      }
    }
  }

  return {
    async run() {
      for (const step of steps) {
        waitingFor = step
        await insist(step)
      }
      if (!signal.aborted) waitingFor = undefined
    },
    notReady: () => (waitingFor === undefined ? [] : [waitingFor.reason]),
    stop: () => stopping.abort(),
  }
}
