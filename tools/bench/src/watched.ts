// Measures a process while another process watches its output.
import type { Run } from './measure.ts'
import { cpuSeconds, otherCore, putFirst, rssMb, startNode } from './processes.ts'

export type Watched<Outcome> = { outcome: Outcome; cpuUsed: number; rssMb: number }

/**
 * Runs a watching process, and returns the resource use of the process `pid` in the measured time. With `isFirst` the
 * watcher has priority, because it measures latencies.
 */
export async function watch<Outcome>(
  file: string,
  plan: object,
  { pid, isFirst }: { readonly pid: number; readonly isFirst: boolean },
): Promise<Watched<Outcome>> {
  const watching = startNode(
    `${import.meta.dirname}/watching/${file}`,
    [JSON.stringify(plan)],
    otherCore,
  )
  if (isFirst) putFirst(watching.pid)
  try {
    await watching.line((line) => line === 'measuring')
    const before = cpuSeconds(pid)
    await watching.line((line) => line === 'measured')
    const cpuUsed = cpuSeconds(pid) - before
    const memory = rssMb(pid)
    const line = await watching.line((text) => text.startsWith('{'))
    return { outcome: JSON.parse(line) as Outcome, cpuUsed, rssMb: memory }
  } finally {
    watching.stop()
  }
}

export function runOf(
  { cpuUsed, rssMb: memory }: Watched<unknown>,
  events: number,
  errors: Record<string, number>,
): Run {
  return {
    eventsPerCpuSecond: events / cpuUsed,
    eventsPerSecond: 0,
    p50Ms: 0,
    p99Ms: 0,
    rssMb: memory,
    errors: Object.values(errors).reduce((sum, count) => sum + count, 0),
  }
}

export const watchedInWords = (errors: Record<string, number>): string =>
  Object.keys(errors).length === 0 ? '' : `; errors: ${JSON.stringify(errors)}`
