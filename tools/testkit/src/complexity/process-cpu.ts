// What a process has computed, as Linux counts it: in nanoseconds, for each of its threads. What it computes while nobody
// asks it for anything (polls, heartbeats, timers) comes with time on the clock, and is taken off.
import { readdirSync, readFileSync } from 'node:fs'
import { delay } from '@weir/kit'

/** Microseconds of all threads that there are; a thread that ends takes its own with it. */
function processMicros(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + threadMicros(`/proc/${pid}/task/${thread}`), 0)
}

/** `schedstat`: time on the processor, time waiting for it, time slices. */
function threadMicros(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ', 1)[0]) / 1_000
  } catch {
    return 0 // it has just ended
  }
}

const idleMs = 1_500

/** The microseconds that a process has computed for others, from now on. */
export async function busyMicrosOf(pid: number): Promise<() => number> {
  const idleStart = processMicros(pid)
  const idleStartMs = performance.now()
  await delay(idleMs)
  const idlePerMs = (processMicros(pid) - idleStart) / (performance.now() - idleStartMs)
  const start = processMicros(pid)
  const startMs = performance.now()
  return () => processMicros(pid) - start - idlePerMs * (performance.now() - startMs)
}
