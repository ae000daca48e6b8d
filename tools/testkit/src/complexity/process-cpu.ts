// Reads the CPU time of a process, which Linux counts in nanoseconds for each thread. Background work (polls,
// heartbeats, timers) grows with elapsed time, and is subtracted.
import { readdirSync, readFileSync } from 'node:fs'
import { delay } from '@weir/kit'

/** Returns the CPU time of all existing threads in microseconds. The time of ended threads is lost. */
function processMicros(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + threadMicros(`/proc/${pid}/task/${thread}`), 0)
}

/** `schedstat` contains the time on the processor, the time waiting for it, and the number of time slices. */
function threadMicros(folder: string): number {
  try {
    return Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ', 1)[0]) / 1_000
  } catch {
    return 0 // the thread has just ended
  }
}

const idleMs = 500
/** The lowest of this many measurements counts, because a new process is still busy with its start. */
const idleLooks = 6
/** The background CPU time per millisecond of each process, by pid, measured only once. */
const idleKnown = new Map<number, Promise<number>>()

/** Returns a function that returns the CPU time used for requests since this call, in microseconds. */
export async function busyMicrosOf(pid: number): Promise<() => number> {
  const looking = idleKnown.get(pid) ?? idlePerMsOf(pid)
  idleKnown.set(pid, looking)
  const idlePerMs = await looking
  const start = processMicros(pid)
  const startMs = performance.now()
  return () => processMicros(pid) - start - idlePerMs * (performance.now() - startMs)
}

async function idlePerMsOf(pid: number): Promise<number> {
  let least = Infinity
  for (let looks = 0; looks < idleLooks; looks += 1) {
    const [micros, ms] = [processMicros(pid), performance.now()]
    await delay(idleMs)
    least = Math.min(least, (processMicros(pid) - micros) / (performance.now() - ms))
  }
  return least
}
