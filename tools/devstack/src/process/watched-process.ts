// A child process that can't outlive this one. It runs under watcher.sh in a process group of its own. So Ctrl-C in the
// terminal reaches only this process, which decides the order of stopping.

import { spawn, type ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Readable } from 'node:stream'

import { AppError } from '@weir/kit'

export type WatchedProcess = {
  pid: number
  /** The leader of the child's process group, which ends after all other processes in the group. */
  watcherPid: number
  /** The output streams of the child, if `output` is 'pipe'. */
  output: readonly Readable[]
  /** Resolves with the exit code after any kind of end. */
  exited: Promise<number>
  hasExited(): boolean
  signal(signal: NodeJS.Signals): void
  /** Sends SIGTERM, and SIGKILL after the time-out. False if SIGKILL was needed, or the process wasn't running. */
  stop(timeoutMs: number): Promise<boolean>
  kill(): Promise<void>
}

export type WatchedCommand = {
  command: string
  args: readonly string[]
  env: NodeJS.ProcessEnv
  cwd: string
  /** A file descriptor, or 'pipe'. */
  output: number | 'pipe'
  /** The time for the child to stop after this process ended. */
  graceMs: number
}

const WATCHER = join(import.meta.dirname, 'watcher.sh')

export async function startWatched(command: WatchedCommand): Promise<WatchedProcess> {
  const watcher = spawnWatcher(command)
  const exited = exitCode(watcher)
  let running = true
  void exited.then(() => (running = false))
  // The pipe breaks when the watcher ends, which is expected.
  watcher.stdin?.on('error', () => {})
  const pid = await childPid(watcher)
  const watcherPid = watcher.pid
  if (pid === undefined || watcherPid === undefined) {
    throw new AppError('not_started', `Cannot run ${command.command}.`)
  }
  const kill = () => {
    if (running) sendSignal(-watcherPid, 'SIGKILL')
    return exited.then(() => {})
  }
  return {
    pid,
    watcherPid,
    output: [watcher.stdout, watcher.stderr].filter((stream) => stream !== null),
    exited,
    hasExited: () => !running,
    signal: (signal) => {
      if (running) sendSignal(pid, signal)
    },
    async stop(timeoutMs) {
      if (!running) return false
      sendSignal(pid, 'SIGTERM')
      sendSignal(pid, 'SIGCONT')
      let late = false
      const timer = setTimeout(() => {
        late = true
        void kill()
      }, timeoutMs)
      await exited
      clearTimeout(timer)
      return !late
    },
    kill,
  }
}

function spawnWatcher(command: WatchedCommand): ChildProcess {
  const graceSeconds = String(Math.ceil(command.graceMs / 1000))
  return spawn('/bin/sh', [WATCHER, graceSeconds, command.command, ...command.args], {
    cwd: command.cwd,
    env: command.env,
    detached: true,
    stdio: ['pipe', command.output, command.output, 'pipe'],
  })
}

// 'exit', not 'close', because a descendant may keep the output open.
function exitCode(child: ChildProcess): Promise<number> {
  return new Promise((done) => {
    child.once('error', () => done(127))
    child.once('exit', (code) => done(code ?? 137))
  })
}

async function childPid(watcher: ChildProcess): Promise<number | undefined> {
  const line = watcher.stdio[3]
  if (!isReadable(line)) return undefined
  let text = ''
  for await (const chunk of line) text += String(chunk)
  const pid = Number.parseInt(text, 10)
  return Number.isSafeInteger(pid) ? pid : undefined
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && Symbol.asyncIterator in stream
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // The process is already gone.
  }
}
