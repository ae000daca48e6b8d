// Starts Weir's services as separate processes, as a container would: configured by environment variables, watched by
// their log lines and health, stopped by SIGTERM. This module imports no service.

import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { AppError, hasCode, pollUntil } from '@weir/kit'

import { prepareLogFile } from './process/log-file.ts'
import { LOOPBACK } from './ports.ts'
import { REPOSITORY } from './repository.ts'
import { startWatched } from './process/watched-process.ts'
import type { WatchedProcess } from './process/watched-process.ts'

export type ServiceName = 'auth' | 'ingest' | 'output'

export type ServiceOptions = {
  name: ServiceName
  /** The service's configuration, added to this process's environment. */
  env: NodeJS.ProcessEnv
  /** The file to run instead of the service's own main.ts. */
  entry?: string
  /** The service's log is appended to this file. */
  logFile?: string | undefined
  onLine?(line: string): void
  readyWithinMs?: number
  signal?: AbortSignal | undefined
}

export type Service = {
  name: ServiceName
  url: string
  adminUrl: string
  pid: number
  /** The last lines of the service's log, at most LINES_MAX. */
  lines(): readonly string[]
  /** Resolves with the exit code after any kind of end. */
  exited: Promise<number>
  /** Sends SIGTERM, and SIGKILL after the time-out. Resolves when the process is gone. */
  stop(timeoutMs?: number): Promise<void>
  kill(): Promise<void>
}

/** The flags that docs/operations.md, What to run in production, recommends. */
const nodeFlags = ['--max-semi-space-size=16', '--no-allocation-site-pretenuring']
const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 10_000
const GRACE_MS = 10_000
const LINES_MAX = 1000

/** Resolves when the service is ready. After a failure no process is left running. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { name, signal } = options
  const entry = options.entry ?? join(REPOSITORY, 'services', name, 'src', 'main.ts')
  const watched = await startWatched({
    command: process.execPath,
    args: [...nodeFlags, entry],
    // The flags of this process, for example a test runner's, must not apply to the service.
    env: { ...process.env, NODE_OPTIONS: '', ...options.env },
    cwd: REPOSITORY,
    output: 'pipe',
    graceMs: GRACE_MS,
  })
  const log = collectLog(watched, options)
  const look = async <T>(seen: () => T | Promise<T>): Promise<T> => {
    signal?.throwIfAborted()
    if (watched.hasExited()) throw notStarted(`${name} ended while it started`, log.lines())
    return seen()
  }
  try {
    const deadlineMs = options.readyWithinMs ?? READY_WITHIN_MS
    const ports = await pollUntil(() => look(log.ports), { deadlineMs, what: `starting ${name}` })
    const adminUrl = `http://${LOOPBACK}:${ports.adminPort}`
    const ready = () => isReady(`${adminUrl}/health/ready`)
    await pollUntil(() => look(ready), { deadlineMs })
    return {
      name,
      url: `http://${LOOPBACK}:${ports.port}`,
      adminUrl,
      pid: watched.pid,
      lines: log.lines,
      exited: watched.exited,
      async stop(timeoutMs = STOP_WITHIN_MS) {
        await watched.stop(timeoutMs)
      },
      kill: watched.kill,
    }
  } catch (error) {
    await watched.kill()
    throw hasCode(error, 'kit.timeout') ? notStarted(`${name} was not ready`, log.lines()) : error
  }
}

type PortsOfService = { port: number; adminPort: number }

function collectLog(watched: WatchedProcess, { logFile, onLine }: ServiceOptions) {
  const lines: string[] = []
  let ports: PortsOfService | undefined
  if (logFile !== undefined) prepareLogFile(logFile)
  const file = logFile === undefined ? undefined : createWriteStream(logFile, { flags: 'a' })
  const take = (line: string) => {
    ports ??= portsIn(line)
    lines.push(line)
    if (lines.length > LINES_MAX) lines.shift()
    file?.write(`${line}\n`)
    onLine?.(line)
  }
  for (const stream of watched.output) createInterface({ input: stream }).on('line', take)
  void watched.exited.then(() => file?.end())
  return { lines: () => lines, ports: () => ports }
}

/** Every service logs one line `{"msg":"listening","port":…,"adminPort":…}` when it accepts requests. */
function portsIn(line: string): PortsOfService | undefined {
  if (!line.includes('"listening"')) return undefined
  try {
    const entry: unknown = JSON.parse(line)
    return isListening(entry) ? entry : undefined
  } catch {
    return undefined
  }
}

function isListening(entry: unknown): entry is PortsOfService {
  return (
    typeof entry === 'object' &&
    entry !== null &&
    'msg' in entry &&
    entry.msg === 'listening' &&
    'port' in entry &&
    typeof entry.port === 'number' &&
    'adminPort' in entry &&
    typeof entry.adminPort === 'number'
  )
}

async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

function notStarted(what: string, lines: readonly string[]): AppError<'not_started'> {
  const last = lines.slice(-15).join('\n')
  return new AppError('not_started', `${what}. Its last lines:\n${last}`)
}
