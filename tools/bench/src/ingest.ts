// Part `ingest`: the cost of one event for the process that receives it, compared with Node's bare HTTP/2 server and a
// plain reference server; the cost with a thousand sessions, and with a million; and the response times at half of the
// maximum load.
import { startWorld } from '@weir/testkit'
import { measure } from './measure.ts'
import type { Run } from './measure.ts'
import type { PartOptions } from './part.ts'
import { measuredCore, otherCore, pin, unpin } from './processes.ts'
import type { Running } from './processes.ts'
import { resultOf, spreadOf } from './results.ts'
import type { Result } from './results.ts'
import { prepareTargets } from './targets.ts'
import type { BenchTarget } from './targets.ts'

/** V8 keeps optimising for ten seconds of full load, and Kafka's JVM for longer. */
const warmUps = 3

export async function benchIngest(options: PartOptions): Promise<Result[]> {
  const flags = `--cpu-prof --cpu-prof-dir=${options.profileFolder}`
  const world = await startWorld(options.profileFolder === undefined ? {} : { NODE_OPTIONS: flags })
  const started: Running[] = []
  const runs = new Map<string, Run[]>()
  const isWanted = (name: string): boolean => isPartOf(options.only, name)
  const measureOnce = async (name: string, target: BenchTarget): Promise<void> => {
    if (!isWanted(name)) return
    const run = await measureTarget(target, options)
    runs.set(name, [...(runs.get(name) ?? []), run])
    options.log(`${name}: ${wordsOf(run)}`)
  }
  const inRounds = async (turns: readonly (readonly [string, BenchTarget])[]): Promise<void> => {
    for (let count = 0; count < options.runs; count += 1)
      for (const [name, target] of turns) await measureOnce(name, target)
  }
  const warmUp = async (name: string, target: BenchTarget): Promise<void> => {
    if (isWanted(name)) await warm(target, warmUps * options.warmUpMs)
  }

  try {
    const { 'sessions-1000000': millionSessions, ...targets } = await prepareTargets(world, started)
    for (const [name, target] of Object.entries(targets)) await warmUp(name, target)
    await inRounds(Object.entries(targets))
    // The bare server at half of its own maximum rate shows the machine's share of the latency.
    const halves = {
      'latency-post': atHalf(targets['ingest-json'], runs.get('ingest-json')),
      'latency-bare': atHalf(targets['http-bare'], runs.get('http-bare')),
    }
    await sharingAllCores(options, Object.values(halves), async () => {
      for (const [name, target] of Object.entries(halves)) await warmUp(name, target)
      await inRounds(Object.entries(halves))
    })
    await inRounds([['sessions-1000000', millionSessions]])
    const bare = spreadOf((runs.get('http-bare') ?? []).map((run) => run.eventsPerCpuSecond))
    return [...runs].map(([name, each]) => resultOf(name, each, bare))
  } finally {
    for (const each of started) each.stop()
    await world.stop()
  }
}

/** Runs load once, so that V8 compiles the server. */
const warm = ({ pid, load }: BenchTarget, measuredMs: number) =>
  measure(pid, { ...load, warmUpMs: 0, measuredMs })

const measureTarget = (
  { pid, load, eventsPerRequest }: BenchTarget,
  { warmUpMs, measuredMs }: PartOptions,
): Promise<Run> => measure(pid, { ...load, warmUpMs, measuredMs }, eventsPerRequest)

const isPartOf = (only: string, name: string): boolean =>
  name.endsWith('-bare') ||
  name.startsWith(only) ||
  (name === 'ingest-json' && only.startsWith('latency'))

const wordsOf = ({ eventsPerCpuSecond, eventsPerSecond }: Run): string =>
  `${Math.round(eventsPerCpuSecond)} events per CPU-second, ${Math.round(eventsPerSecond)} a second`

const atHalf = (target: BenchTarget, runs: readonly Run[] = []): BenchTarget => {
  const { median } = spreadOf(runs.map((run) => run.eventsPerSecond))
  return { ...target, load: { ...target.load, rate: Math.round((median || 2) / 2) } }
}

/** Lets the processes run on all cores, because waiting for a shared core would distort latencies. */
async function sharingAllCores(
  { brokerPid }: PartOptions,
  servers: readonly BenchTarget[],
  work: () => Promise<void>,
): Promise<void> {
  for (const { pid } of servers) unpin(pid)
  if (brokerPid !== undefined) unpin(brokerPid)
  await work()
  for (const { pid } of servers) pin(pid, measuredCore)
  if (brokerPid !== undefined) pin(brokerPid, otherCore)
}
