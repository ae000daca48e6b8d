// The common logic of the broker and the registry: starting, stopping, killing and restarting a JVM under a watcher,
// its log file, and its readiness.

import { join } from 'node:path'

import { AppError, pollUntil } from '@weir/kit'

import type { FolderLock } from './folder-lock.ts'
import { lastLines, withLogFile } from './log-file.ts'
import { startWatched } from './watched-process.ts'
import type { WatchedProcess } from './watched-process.ts'

export type PartContext = {
  folder: string
  lock: FolderLock
  /** Called if the part ended without a request to stop. */
  onDied?: ((part: DeadPart) => void) | undefined
}

export type DeadPart = { name: string; logFile: string; lastLines: string }

export type PartProgram = {
  name: string
  logName: string
  address: string
  command: string
  args(): readonly string[]
  /** Added to the environment. */
  env?: NodeJS.ProcessEnv
  /** Polled before each start until it returns true: a precondition without which the program would exit. */
  mayStart?(): Promise<boolean>
  isReady(): Promise<boolean>
  /** Called after a clean stop. */
  onStopped?(): Promise<void>
}

export type Part = {
  name: string
  address: string
  /** Resolves when the part is ready. After a failure no process is left running. */
  start(signal?: AbortSignal): Promise<void>
  stop(timeoutMs: number): Promise<void>
  kill(): Promise<void>
  signal(signal: NodeJS.Signals): void
  pid(): number | undefined
}

const READY_WITHIN_MS = 90_000
const GRACE_MS = 8000

const readyWithin = (what: string) => ({ deadlineMs: READY_WITHIN_MS, everyMs: 100, what })

export function createPart(program: PartProgram, context: PartContext): Part {
  const { name, address } = program
  const logFile = join(context.folder, 'logs', program.logName)
  let running: WatchedProcess | undefined

  const isReady = async (watched: WatchedProcess) => {
    if (watched.hasExited()) throw endedEarly(name, logFile)
    return program.isReady()
  }

  const take = (): WatchedProcess | undefined => {
    const watched = running
    running = undefined
    return watched
  }

  return {
    name,
    address,
    async start(signal) {
      await untilItMayStart(program, signal)
      const watched = await launch(program, context, logFile)
      try {
        await untilReady(name, () => isReady(watched), signal)
      } catch (error) {
        await watched.kill()
        throw error
      }
      running = watched
      void watched.exited.then(() => {
        if (running !== watched) return
        running = undefined
        context.onDied?.({ name, logFile, lastLines: lastLines(logFile) })
      })
    },
    async stop(timeoutMs) {
      if (await take()?.stop(timeoutMs)) await program.onStopped?.()
    },
    kill: async () => take()?.kill(),
    signal: (signal) => running?.signal(signal),
    pid: () => running?.pid,
  }
}

const unlessAborted =
  (signal: AbortSignal | undefined, look: () => Promise<boolean>) => (): Promise<boolean> => {
    signal?.throwIfAborted()
    return look()
  }

const untilReady = (
  name: string,
  look: () => Promise<boolean>,
  signal: AbortSignal | undefined,
): Promise<unknown> => pollUntil(unlessAborted(signal, look), readyWithin(`starting ${name}`))

async function untilItMayStart(
  { name, mayStart }: PartProgram,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (mayStart === undefined) return
  await pollUntil(unlessAborted(signal, mayStart), readyWithin(`waiting with ${name}`))
}

async function launch(
  program: PartProgram,
  context: PartContext,
  logFile: string,
): Promise<WatchedProcess> {
  const watched = await withLogFile(logFile, (output) =>
    startWatched({
      command: program.command,
      args: program.args(),
      env: { ...process.env, ...program.env },
      cwd: context.folder,
      output,
      graceMs: GRACE_MS,
    }),
  )
  const pids = [watched.watcherPid, watched.pid]
  context.lock.started(pids)
  void watched.exited.then(() => context.lock.ended(pids))
  return watched
}

function endedEarly(name: string, logFile: string): AppError<'not_started'> {
  return new AppError(
    'not_started',
    `${name} ended while it started. The last lines of ${logFile}:\n${lastLines(logFile)}`,
  )
}
