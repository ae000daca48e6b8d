// One run against one server: load from another core, and the resource use of the server's process.
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadPlan, LoadResult } from './load/load.ts'
import { cpuSeconds, otherCore, putFirst, rssMb, startNode } from './processes.ts'

export type Run = {
  eventsPerCpuSecond: number
  eventsPerSecond: number
  p50Ms: number
  p99Ms: number
  rssMb: number
  errors: number
}

const loadFile = join(import.meta.dirname, 'load', 'load.ts')

/** Fewer garbage collections, because those of the load generator would count as the server's time. */
const loadFlags = ['--max-semi-space-size=32']

/** Runs load, and measures the process. Each request counts as `eventsPerRequest` events. */
export async function measure(pid: number, plan: LoadPlan, eventsPerRequest = 1): Promise<Run> {
  const load = startNode(loadFile, [JSON.stringify(plan)], otherCore, loadFlags)
  // A run at a fixed rate measures latencies.
  if (plan.rate !== undefined) putFirst(load.pid)
  try {
    await load.line((line) => line === 'measuring')
    const before = cpuSeconds(pid)
    await load.line((line) => line === 'measured')
    const used = cpuSeconds(pid) - before
    const memory = rssMb(pid)
    const result = JSON.parse(await load.line((line) => line.startsWith('{'))) as LoadResult
    const events = result.answered * eventsPerRequest
    const failed = Object.entries(result.errors)
    if (failed.length > 0) process.stderr.write(`  errors: ${JSON.stringify(result.errors)}\n`)
    return {
      eventsPerCpuSecond: events / used,
      eventsPerSecond: events / result.seconds,
      p50Ms: result.p50Ms,
      p99Ms: result.p99Ms,
      rssMb: memory,
      errors: failed.reduce((sum, [, count]) => sum + count, 0),
    }
  } finally {
    load.stop()
  }
}

/** Writes bodies for the load generator to a new file. */
export function writeBodies(bodies: readonly Buffer[]): string {
  const file = join(mkdtempSync(join(tmpdir(), 'weir-bench-')), 'bodies')
  const lengths = bodies.map((body) => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(body.length)
    return bytes
  })
  writeFileSync(
    file,
    Buffer.concat(bodies.flatMap((body, i) => [lengths[i] ?? Buffer.alloc(4), body])),
  )
  return file
}
