// One run: load and storms until the time has passed. Then the faults end, and all topics are compared with the sent
// events. A run with a breakage consists of short rounds, each with its own comparison, until a check finds the bug.
import { join } from 'node:path'

import { delay, hasCode } from '@weir/kit'

import { expectToFit } from './breakages.ts'
import type { BreakageName } from './breakages.ts'
import {
  createCalmProgress,
  expectDerived,
  expectStored,
  untilNoneIsOpen,
  untilQuiet,
} from './calm.ts'
import type { CalmDeps, CalmProgress } from './calm.ts'
import { checkIndependently, requirePython } from './check/check-independently.ts'
import { checkSoFar, checkWorld } from './check/check-world.ts'
import type { Checked } from './check/check-world.ts'
import { createReadings } from './check/readings.ts'
import type { Readings } from './check/readings.ts'
import { createViolations } from './check/violations.ts'
import type { Violations } from './check/violations.ts'
import { loadKinds } from './events.ts'
import type { Kind } from './events.ts'
import { learnApplied } from './faults/people-faults.ts'
import { createNemesis } from './faults/nemesis.ts'
import type { Nemesis } from './faults/nemesis.ts'
import { createOutputKills, createPlan, describeFault } from './faults/plan.ts'
import type { FaultKind, Plan, Storm } from './faults/plan.ts'
import { createLedger } from './ledger.ts'
import type { Ledger } from './ledger.ts'
import { startLoad } from './load/load.ts'
import { startReaders } from './load/readers.ts'
import type { RunningReaders } from './load/readers.ts'
import type { LoadSize } from './load/load.ts'
import { expectDead } from './load/dead-tokens.ts'
import { createPeople } from './people.ts'
import type { TorturePeople } from './people.ts'
import { createRandom } from './random.ts'
import type { Random } from './random.ts'
import type { Report } from './report.ts'
import type { TestOutput } from './streams.ts'
import { slotsOf } from './world/slots.ts'
import { openWorld } from './open-world.ts'
import type { TortureWorld, TortureOptions } from './open-world.ts'

export type RunOptions = Pick<
  TortureOptions,
  'folder' | 'kekFolder' | 'platformKey' | 'schemaRegistryUrl' | 'brokers' | 'expireIdsMs'
> & {
  readonly seed: number
  readonly minutes: number
  readonly size: LoadSize
  readonly faults: readonly FaultKind[]
  /** If set, kills the output replicas in turn, instead of storms with calm spells. */
  readonly killOutputEveryMs?: number | undefined
  readonly breakage?: BreakageName | undefined
  say(line: string): void
}

const QUIET_MS = 6_000
/** The length of a round with a breakage. Without a breakage, a run is one round. */
const ROUND_MS = 30_000
const BREAK = join(import.meta.dirname, 'preload/break.ts')
const CALM_MS = 3_000

type Run = {
  options: RunOptions
  world: TortureWorld
  kinds: readonly Kind[]
  ledger: Ledger
  people: TorturePeople
  random: Random
  plan: Plan
  spells: Spells
  storms: Storm[]
  violations: Violations
  readings: Readings
  progress: CalmProgress
  nemesis: Nemesis
  calm: CalmDeps
}
type Spells = { count: number; storedAgainMs: number; derivedAgainMs: number }

export async function runTorture(options: RunOptions): Promise<Report> {
  const startedMs = performance.now()
  await requirePython()
  const kinds = await loadKinds()
  const world = await openWorld(await worldOptionsOf(options, kinds))
  try {
    const run = prepare(options, world, kinds)
    const lastsMs = options.minutes * 60_000
    const endMs = performance.now() + lastsMs
    const roundMs = options.breakage === undefined ? lastsMs : Math.min(lastsMs, ROUND_MS)
    for (;;) {
      const readers = startReaders({ ...world, ...run, random: run.random.fork() })
      await weather(run, Math.min(performance.now() + roundMs, endMs))
      const found = await settleAndCheck(run, readers)
      const isOver = performance.now() >= endMs || run.violations.count() > 0
      if (isOver) return report(run, startedMs, found)
    }
  } finally {
    await world.close()
  }
}

async function worldOptionsOf(
  options: RunOptions,
  kinds: readonly Kind[],
): Promise<TortureOptions> {
  const { folder, kekFolder, platformKey, schemaRegistryUrl, brokers, expireIdsMs } = options
  const { breakage } = options
  const given = { folder, kekFolder, platformKey, schemaRegistryUrl, brokers, expireIdsMs, kinds }
  const common = { ...given, fullHourAfterMs: options.minutes * 30_000 }
  if (breakage === undefined) return { ...common, env: {}, preload: [] }
  await expectToFit(breakage)
  return { ...common, env: { TORTURE_BREAKAGE: breakage }, preload: [BREAK] }
}

function prepare(options: RunOptions, world: TortureWorld, kinds: readonly Kind[]): Run {
  const { topics, streams } = world
  const random = createRandom(options.seed)
  const violations = createViolations()
  const readings = createReadings(violations)
  const progress = createCalmProgress()
  const ledger = createLedger()
  const people = createPeople(ledger)
  const farewell = (stream: TestOutput): Promise<void> =>
    checkSoFar({ kinds, ledger, people, topics, violations }, stream).catch((error: unknown) => {
      // Kafka may be unreachable during a storm.
      if (!hasCode(error, 'kafka.unavailable')) throw error
    })
  return {
    options,
    world,
    kinds,
    violations,
    readings,
    progress,
    ledger,
    random,
    plan: planOf(options, random.fork()),
    storms: [],
    spells: { count: 0, storedAgainMs: 0, derivedAgainMs: 0 },
    people,
    nemesis: createNemesis({ ...world, people, farewell }, options.say),
    calm: { topics, streams, progress, violations, replicas: slotsOf('ingest').length },
  }
}

function planOf({ faults, killOutputEveryMs, minutes }: RunOptions, random: Random): Plan {
  return killOutputEveryMs === undefined
    ? createPlan(random, faults)
    : createOutputKills(killOutputEveryMs, minutes * 60_000)
}

/** Runs storms and calm spells under load, until the time has passed. */
async function weather(run: Run, endMs: number): Promise<void> {
  const load = beginLoad(run)
  try {
    while (performance.now() < endMs) {
      await stormAndCalm(run)
      await delay(CALM_MS)
    }
  } finally {
    await load.stop()
  }
}

async function stormAndCalm({ options, nemesis, calm, plan, storms, spells }: Run): Promise<void> {
  const { say } = options
  const storm = plan.next()
  storms.push(storm)
  say(`storm ${storm.number}`)
  for (const fault of storm.faults) say(`  ${describeFault(fault)}`)
  await nemesis.raise(storm)
  const storedMs = Math.round(await expectStored(calm))
  const derivedMs = Math.round(await expectDerived(calm))
  say(`  calm: stored again within ${storedMs} ms, derived within ${derivedMs} ms`)
  spells.count += 1
  spells.storedAgainMs = Math.max(spells.storedAgainMs, storedMs)
  spells.derivedAgainMs = Math.max(spells.derivedAgainMs, derivedMs)
}

function beginLoad({ world, kinds, ledger, random, progress, options }: Run) {
  const { fleet, tokens, streams } = world
  return startLoad(
    {
      kinds,
      ledger,
      random: random.fork(),
      inputs: streams.inputs,
      addresses: slotsOf('ingest').map((slot) => () => fleet.find(slot)?.url),
      token: (stream) => tokens.of(stream).token,
      renew: tokens.renew,
      onStored: progress.stored,
    },
    options.size,
  )
}

type Found = {
  readonly checked: Checked
  readonly fromOutside: number
  readonly readings: number
}

async function settleAndCheck(run: Run, readers: RunningReaders): Promise<Found> {
  const { world, violations, calm, kinds, ledger, people, options } = run
  const { streams, topics, losses } = world
  await untilQuiet(calm, QUIET_MS)
  await expectDerived(calm)
  await untilNoneIsOpen(calm)
  await expectDead(run)
  options.say('checking')
  await learnApplied({ ...world, people, violations })
  await readers.stop()
  await readers.readAll()
  run.readings.check(people)
  const deps = { ledger, people, violations }
  const checked = await checkWorld({ ...deps, kinds, streams, topics, losses })
  const fromOutside = await checkIndependently({ ...world, ...deps })
  return { checked, fromOutside, readings: run.readings.count() }
}

function report(run: Run, startedMs: number, found: Found): Report {
  const { options, nemesis, ledger, violations, spells } = run
  return {
    seed: options.seed,
    seconds: Math.round((performance.now() - startedMs) / 1_000),
    breakage: options.breakage,
    faults: nemesis.counts(),
    tampered: run.world.ways.tampered(),
    calmSpells: spells.count,
    storedAgainMs: spells.storedAgainMs,
    derivedAgainMs: spells.derivedAgainMs,
    events: ledger.counts(),
    ...found,
    violations: violations.count(),
    violationsBySort: violations.counts(),
    shown: violations.shown(),
    storms: run.storms,
  }
}
