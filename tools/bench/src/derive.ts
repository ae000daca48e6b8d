// Part `derive`: the cost of deriving an event exactly once, with two fields that output or the readers decrypt; the
// time for a million events on one core; and whether eight derived streams of one input cost eight times as much as
// one. The events are stored before a run. Each run creates new derived streams that start from the earliest event.
import type { Admin } from '@weir/kafka'
import { pollUntil } from '@weir/kit'
import { counterOf, signUp, freshName, startWorld } from '@weir/testkit'
import type { Account, World } from '@weir/testkit'
import { createBenchAdmin, fillStream } from './filled-stream.ts'
import type { FilledStream } from './filled-stream.ts'
import type { Run } from './measure.ts'
import type { PartOptions } from './part.ts'
import { cpuSeconds, measuredCore, otherCore, pin, rssMb } from './processes.ts'
import { resultOf, spreadOf } from './results.ts'
import type { Result } from './results.ts'

type Setup = { world: World; account: Account; admin: Admin }
type DeriveRun = Omit<Run, 'p50Ms' | 'p99Ms'> & { seconds: number }

const fanOut = 8
const everyMs = 50
const deadlineMs = 300_000
const derivation = { consentLevels: [1], from: 'earliest' }
const forReaders = { ...derivation, decryptAt: 'reader' }
/** The share of the events of `derive` that each stream of `fanout-*` derives. */
const fanOutShare = 0.1

export async function benchDerive(options: PartOptions): Promise<Result[]> {
  const { log, profileFolder } = options
  const flags = `--cpu-prof --cpu-prof-dir=${profileFolder}`
  const world = await startWorld(profileFolder === undefined ? {} : { NODE_OPTIONS: flags })
  const admin = createBenchAdmin()
  try {
    const account = await signUp(world.auth.url)
    await account.contract('clickstream')
    const setup = { world, account, admin }
    pin(process.pid, otherCore)
    pin(world.auth.pid, otherCore)
    for (const service of [world.ingest, world.output]) pin(service.pid, measuredCore)
    const few = await fillStream(setup, 'few', options.events * fanOutShare)
    const many = await fillStream(setup, 'many', options.events)
    log(`${many.events} and ${few.events} events are stored`)
    await world.ingest.stop()
    return await measureAll(setup, { few, many }, options)
  } finally {
    await admin.close()
    await world.stop()
  }
}

async function measureAll(
  setup: Setup,
  { few, many }: { few: FilledStream; many: FilledStream },
  { runs, only, log }: PartOptions,
): Promise<Result[]> {
  const kept = new Map<string, DeriveRun[]>()
  const inTurn = async (name: string, input: FilledStream, streams: number): Promise<void> => {
    const of = name === 'derive-reader' ? forReaders : derivation
    const run = await deriveOnce(setup, input, { streams, of })
    kept.set(name, [...(kept.get(name) ?? []), run])
    const { eventsPerCpuSecond, seconds } = run
    log(
      `${name}: ${Math.round(eventsPerCpuSecond)} events per CPU-second, ${seconds.toFixed(1)} s in all`,
    )
  }
  await deriveOnce(setup, few, { streams: 1, of: derivation }) // warms up, until V8 has compiled the deriver
  for (let count = 0; count < runs; count += 1) {
    if ('derive'.startsWith(only) || 'backfill'.startsWith(only)) await inTurn('derive', many, 1)
    if ('derive-reader'.startsWith(only)) await inTurn('derive-reader', many, 1)
    if (!'fanout-'.startsWith(only.slice(0, 7))) continue
    await inTurn('fanout-1', few, 1)
    await inTurn(`fanout-${fanOut}`, few, fanOut)
  }
  const results = [...kept].map(([name, each]) => resultOf(name, each))
  const backfill = kept.get('derive')
  if (backfill !== undefined)
    results.push({
      ...resultOf('backfill', backfill),
      events: many.events,
      seconds: spreadOf(
        backfill.map((run) => run.seconds),
        1,
      ),
    })
  return results
}

/**
 * Creates this number of derived streams of the input, waits until each has derived everything, and deletes them. The
 * measurement of the output process starts before their creation.
 */
async function deriveOnce(
  setup: Setup,
  input: FilledStream,
  { streams, of }: { readonly streams: number; readonly of: object },
): Promise<DeriveRun> {
  const { world, account, admin } = setup
  const { pid } = world.output
  const wanted = input.events * streams
  const countPassed = () =>
    counterOf(world.output, 'svc_output_events_total', { outcome: 'passed' })
  const passedBefore = await countPassed()
  const beganAt = performance.now()
  const before = cpuSeconds(pid)
  const made = await Promise.all(
    Array.from({ length: streams }, () =>
      account.output(input.stream.name, freshName('derived'), of),
    ),
  )
  const countDerived = async (): Promise<number> => {
    const each = await Promise.all(
      made.map(({ topic }) => admin.groups.committedOffsets(`weir.${topic}`, input.stream.topic)),
    )
    return each.flat().reduce((sum, offset) => sum + Number(offset ?? 0n), 0)
  }
  const what = `deriving ${wanted} events`
  await pollUntil(async () => (await countDerived()) >= wanted, { deadlineMs, everyMs, what })
  const used = cpuSeconds(pid) - before
  const seconds = (performance.now() - beganAt) / 1_000
  const memory = rssMb(pid)
  const passed = (await countPassed()) - passedBefore
  for (const { name } of made)
    await account.call('DELETE', `/v2/streams/${input.stream.name}/outputs/${name}`)
  return {
    eventsPerCpuSecond: wanted / used,
    eventsPerSecond: wanted / seconds,
    seconds,
    rssMb: memory,
    errors: Math.abs(passed - wanted),
  }
}
