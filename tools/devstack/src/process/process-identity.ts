// Tells whether a known process still exists. Process ids are reused, so the start time is part of the identity.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type ProcessIdentity = { pid: number; started: string }

/** Returns undefined if the process doesn't exist, or has ended and its parent hasn't read the exit code. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const started = process.platform === 'linux' ? startedOnLinux(pid) : startedElsewhere(pid)
  return started === undefined ? undefined : { pid, started }
}

export function isRunning({ pid, started }: ProcessIdentity): boolean {
  return identifyProcess(pid)?.started === started
}

// proc(5): the command's name is in parentheses and may contain any characters. The state is the first field after it,
// and the start in ticks since boot is the twentieth.
function startedOnLinux(pid: number): string | undefined {
  const stat = read(`/proc/${pid}/stat`)
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ')
  if (fields === undefined || fields[0] === 'Z' || fields[0] === 'X') return undefined
  return `${read('/proc/sys/kernel/random/boot_id')?.trim()} ${fields[19]}`
}

function startedElsewhere(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'stat=,lstart=', '-p', String(pid)], {
      encoding: 'utf8',
    })
    const [state, ...started] = line.trim().split(/\s+/)
    return state === undefined || state.startsWith('Z') ? undefined : started.join(' ')
  } catch {
    return undefined
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
