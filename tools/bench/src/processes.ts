// Processes of a benchmark: pinned to a core if the machine permits it, and measured by the kernel's counters.
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcessByStdio } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

const ticksPerSecond = Number(run('getconf', ['CLK_TCK']) ?? 100)
const pageBytes = 4_096

/** The measured process runs on `measuredCore`, everything else on `otherCore`. */
export const measuredCore = 0
export const otherCore = 1

/** Binds all threads of a process to a core. Does nothing without `taskset` or a second core. */
export function pin(pid: number, core: number): void {
  if (availableParallelism() > 1) run('taskset', ['-apc', String(core), String(pid)])
}

/** Lets a process run on any core again. */
export function unpin(pid: number): void {
  if (availableParallelism() > 1)
    run('taskset', ['-apc', `0-${availableParallelism() - 1}`, String(pid)])
}

/**
 * Lets a process that simulates remote clients run on any core, with priority, because waiting for a core would count
 * as measured time. Without `chrt` and CAP_SYS_NICE it gets no priority.
 */
export function putFirst(pid: number): void {
  unpin(pid)
  run('chrt', ['--rr', '--all-tasks', '--pid', '1', String(pid)])
}

/** Returns the user and system time of all threads so far. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond
}

export function rssMb(pid: number): number {
  return (Number(statOf(pid)[21]) * pageBytes) / 1_048_576
}

/** Returns the fields from `state` on (proc(5)). The command's name before `state` may contain spaces. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

export type Running = {
  pid: number
  /** Resolves with the first line for which `accept` returns true. */
  line(accept: (line: string) => boolean): Promise<string>
  stop(): void
}

export function startNode(
  file: string,
  args: readonly string[],
  core: number,
  nodeFlags: readonly string[] = [],
): Running {
  const command = [...nodeFlags, file, ...args]
  const child = spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'inherit'] })
  const pid = child.pid
  if (pid === undefined) throw new Error(`${file} did not start`)
  pin(pid, core)
  return { pid, line: readLines(child, file), stop: () => void child.kill('SIGKILL') }
}

function readLines(
  child: ChildProcessByStdio<null, Readable, null>,
  file: string,
): Running['line'] {
  const lines: string[] = []
  const waiting = new Set<() => void>()
  const wake = (): void => {
    for (const look of waiting) look()
  }
  createInterface({ input: child.stdout }).on('line', (line) => {
    lines.push(line)
    wake()
  })
  let ended = false
  child.on('exit', () => {
    ended = true
    setImmediate(wake)
  })
  return (accept) =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = lines.find(accept)
        if (found === undefined && !ended) return
        waiting.delete(look)
        if (found === undefined) reject(new Error(`${file} ended`))
        else resolve(found)
      }
      waiting.add(look)
      look()
    })
}

function run(command: string, args: readonly string[]): string | undefined {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  } catch {
    return undefined
  }
}
