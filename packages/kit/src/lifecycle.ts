// Stops a service. After SIGTERM or SIGINT, the steps run in order, each within its own time-out. The process ends
// within the total time in any case. After an uncaught error, it ends immediately, because its state may be
// inconsistent. The log then contains the stack, but no values.

import { describeCrash } from './logs/describe-error.ts'
import type { Log } from './logs/log.ts'
import { withTimeout } from './time.ts'

export type ShutdownStep = {
  name: string
  run(): Promise<void>
  /** The step's time-out. By default the rest of the total time. */
  timeoutMs?: number
}

export type Lifecycle = { shutdown(exitCode?: number): Promise<void> }

// Ctrl-C reaches the whole process group, and a parent such as npm forwards it a second time.
const SAME_SIGNAL_MS = 500

export function onShutdown(
  log: Log,
  steps: readonly ShutdownStep[],
  timeoutMs = 10_000,
): Lifecycle {
  let startedAt: number | undefined

  const shutdown = async (exitCode = 0): Promise<void> => {
    if (startedAt !== undefined) return
    startedAt = performance.now()
    const deadline = startedAt + timeoutMs
    setTimeout(() => exit(log, 1, 'shutdown took too long'), timeoutMs).unref()
    const failures = await runSteps(log, steps, deadline)
    exit(log, failures === 0 ? exitCode : 1, 'stopped')
  }

  const onSignal = (signal: NodeJS.Signals) => {
    if (startedAt !== undefined && performance.now() - startedAt < SAME_SIGNAL_MS) return
    if (startedAt !== undefined) return exit(log, 1, 'second signal: exiting immediately')
    log.info({ signal }, 'shutting down')
    void shutdown()
  }

  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
  process.on('uncaughtException', (error) => {
    log.fatal({ crash: describeCrash(error) }, 'an uncaught error')
    process.exit(1)
  })
  process.on('unhandledRejection', (reason) => {
    log.fatal({ crash: describeCrash(reason) }, 'an unhandled rejection')
    process.exit(1)
  })
  return { shutdown }
}

async function runSteps(log: Log, steps: readonly ShutdownStep[], deadline: number) {
  let failures = 0
  for (const step of steps) {
    const leftMs = deadline - performance.now()
    try {
      await withTimeout(step.run(), Math.min(step.timeoutMs ?? leftMs, leftMs), step.name)
    } catch (error) {
      failures += 1
      log.error({ err: error, step: step.name }, 'a shutdown step failed')
    }
  }
  return failures
}

function exit(log: Log, code: number, message: string): void {
  log[code === 0 ? 'info' : 'error']({ exitCode: code }, message)
  process.exit(code)
}
