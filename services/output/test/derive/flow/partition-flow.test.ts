// One partition of an input stream and its derived streams. Each event is derived exactly once and in order, whatever
// the order of responses. The broker is simulated, so that thousands of orders can be tested. Other tests use a real
// broker.
import { setImmediate as realTurn } from 'node:timers/promises'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { OutRecord, SourceRecord } from '@weir/kafka'
import { compiledExample, seededNumbers } from '@weir/testkit'
import type { Source } from '../../../src/derive/derive.ts'
import { DeriveError } from '../../../src/derive/errors.ts'
import { createPartitionFlow } from '../../../src/derive/flow/partition-flow.ts'
import { newStream } from '../../../src/derive/flow/stream.ts'
import type { Counts, DeadAt } from '../../../src/derive/flow/stream.ts'
import { createFlowTurns } from '../../../src/derive/flow/turns.ts'
import { simulatedFetcher, simulatedLogs } from './simulated.ts'
import type { Faults } from './simulated.ts'

const contract = await compiledExample('demo_v1')
const QUIET: Faults = { fenced: 0, unknown: 0, isRefused: () => false }
const stops: (() => Promise<void>)[] = []

// With fake timers, pauses take no time.
beforeEach(() => void jest.useFakeTimers({ doNotFake: ['setImmediate'] }))
afterEach(async () => {
  const stopping = Promise.all(stops.splice(0).map((stop) => stop()))
  await jest.advanceTimersByTimeAsync(10_000)
  await stopping
  jest.useRealTimers()
})

const STEP_MS = 2
const STEPS_MAX = 200_000

async function until(condition: () => boolean): Promise<void> {
  for (let step = 0; !condition(); step++) {
    if (step === STEPS_MAX) throw new Error('it never came to that')
    await jest.advanceTimersByTimeAsync(STEP_MS)
    await realTurn()
  }
}

const recordAt = (offset: bigint): SourceRecord => ({
  partition: 0,
  offset,
  timestampMs: 1_700_000_000_000,
  key: Buffer.from('k'),
  value: Buffer.from(`event ${offset}`),
  headers: {},
})

const sourceOf = (record: SourceRecord): Source => ({
  record,
  schemaId: 'demo_v1',
  keyLink: Buffer.from('link'),
  contract,
  registryId: 1,
  consent: [0],
  timestampMs: record.timestampMs,
  takeEvent: () => ({}),
})

/** The expected result of a record for the stream with this number. Most records pass. */
type Fate = 'passed' | 'filtered' | 'dead'
function fateOf(offset: bigint, stream: number, isRefused: Faults['isRefused']): Fate {
  const n = Number(offset)
  if (n % 97 === 13) return 'dead'
  if (n % 61 < 3) return 'dead'
  if (n % (stream + 3) === 1) return 'filtered'
  return isRefused(offset) ? 'dead' : 'passed'
}

/** Simulates keys that arrive late, and contracts that are known only after a later read of control state. */
function groupOf(stream: number, looks: Map<bigint, number>, isKnown: (offset: bigint) => boolean) {
  return {
    derive({ record: { offset, value, timestampMs } }: Source): OutRecord | undefined {
      const n = Number(offset)
      if (n % 59 === 11 && !isKnown(offset))
        throw new DeriveError('derive.unknown_contract', 'it comes later')
      if (n % 97 === 13) throw new DeriveError('derive.unknown_contract', 'never there')
      if (n % 61 < 3) throw new DeriveError('derive.corrupt', 'broken')
      if (n % 53 === 7) {
        const seen = (looks.get(offset) ?? 0) + 1
        looks.set(offset, seen)
        if (seen < 3) throw new DeriveError('derive.not_known_yet', 'a key comes later')
      }
      if (n % (stream + 3) === 1) return undefined
      return { key: null, value, headers: {}, timestampMs }
    },
  }
}

const STREAMS = 4

function startAll(seed: number, { events = 1_200, faults = QUIET } = {}) {
  const random = seededNumbers(seed)
  /** How often control state was read to its end. */
  let reads = 0
  const offsets: bigint[] = []
  let end = 0n
  while (offsets.length < events) {
    if (random() < 0.9) offsets.push(end)
    end += 1n
  }
  const cameAt = new Map<bigint, number>()
  const given = (records: readonly SourceRecord[]): void => {
    for (const { offset } of records) if (!cameAt.has(offset)) cameAt.set(offset, reads)
  }
  const log = { records: offsets.map(recordAt), end, readers: 0, given }
  const isKnown = (offset: bigint): boolean => reads > (cameAt.get(offset) ?? reads)
  let now = faults
  let mayDerive = true
  const broker = simulatedLogs(random, () => now)
  const flow = createPartitionFlow({
    logs: broker,
    fetcher: simulatedFetcher(random, log),
    turns: {
      ...createFlowTurns((error) => {
        throw error
      }),
      // Simulates slow records.
      isOver: () => random() < 0.05,
    },
    room: { bytes: 0 },
    input: { topic: 'in', ownTopic: 'in', partition: 0, account: 'acme', read: sourceOf },
    begin: () => {
      open += 1
      return () => void (open -= 1)
    },
    refresh: async () => {
      if (random() < 0.5) throw new Error('no broker')
      reads += 1
    },
    readOwners: async () => {},
    mayOwn: async () => true,
    mayDerive: () => mayDerive,
  })
  let open = 0
  const counted = Array.from({ length: STREAMS }, () => ({ passed: 0, filtered: 0, dead: 0 }))
  const add = (number: number) => {
    const partition = {
      streamId: `s${number}`,
      transactionalId: `t${number}`,
      groupId: `g${number}`,
      inputTopic: 'in',
      outputTopic: `out${number}`,
      deadLetterTopic: `dead${number}`,
      partition: 0,
      startOffset: 0n,
      rebuild: 0,
      logStarts: { derived: 0n, dead: 0n },
    }
    const told = {
      stored({ passed, filtered }: Counts, dead: readonly DeadAt[]) {
        const counts = counted[number]
        if (counts === undefined) return
        counts.passed += passed
        counts.filtered += filtered
        counts.dead += dead.length
      },
      failed: () => {},
      lost: () => {},
      span: () => undefined,
    }
    const stream = newStream(partition, groupOf(number, new Map(), isKnown), {
      told,
      noted: undefined,
    })
    flow.add(stream)
    return stream
  }
  const streams = Array.from({ length: STREAMS }, (_, number) => add(number))
  stops.push(async () => void (await Promise.all(streams.map(flow.remove))))
  return {
    flow,
    log,
    streams,
    counted,
    broker,
    openings: () => open,
    setFaults: (next: Faults) => void (now = next),
    setMayDerive(may: boolean) {
      mayDerive = may
      flow.wake()
    },
    isDone: () => streams.every(({ stored }) => stored === log.end),
  }
}

type Run = ReturnType<typeof startAll>

function expectExactlyOnce({ log, streams, broker }: Run, isRefused = QUIET.isRefused): void {
  for (const [number, { of }] of streams.entries()) {
    const { derived, dead } = broker.logsOf(of)
    const expected = (fate: Fate) =>
      log.records.flatMap(({ offset }) =>
        fateOf(offset, number, isRefused) === fate ? [offset] : [],
      )
    expect(derived.map(({ offset }) => offset)).toEqual(expected('passed'))
    expect(dead.map(({ offset }) => offset)).toEqual(expected('dead'))
  }
}

test('each stream has each record once and in order, however late keys and answers come', async () => {
  const run = startAll(1)
  await until(run.isDone)
  expectExactlyOnce(run)
  for (const [number, counts] of run.counted.entries()) {
    const fates = run.log.records.map(({ offset }) => fateOf(offset, number, QUIET.isRefused))
    const count = (fate: Fate) => fates.filter((one) => one === fate).length
    expect(counts).toEqual({
      passed: count('passed'),
      filtered: count('filtered'),
      dead: count('dead'),
    })
  }
  expect(run.openings()).toBe(0)
})

test.each(Array.from({ length: 20 }, (_, index) => index + 2))(
  'writers that are fenced and answers that are lost change nothing in the end, seed %i',
  async (seed) => {
    const run = startAll(seed, { events: 500, faults: { ...QUIET, fenced: 0.02, unknown: 0.03 } })
    await until(run.isDone)
    expectExactlyOnce(run)
  },
  90_000,
)

test('a record that Kafka refuses is dead-lettered, and those beside it are derived', async () => {
  const isRefused = (offset: bigint): boolean => offset % 211n === 100n
  const run = startAll(30, { events: 600, faults: { ...QUIET, isRefused } })
  await until(run.isDone)
  expectExactlyOnce(run, isRefused)
})

test('while nothing may be derived nothing is, and afterwards all of it', async () => {
  const run = startAll(31, { events: 400 })
  await until(() => run.streams.some(({ stored }) => stored !== undefined && stored > 20n))
  run.setMayDerive(false)
  await until(() => run.streams.every(({ pending }) => pending.length === 0))
  const before = run.streams.map(({ next }) => next)
  let steps = 0
  await until(() => steps++ > 100)
  expect(run.streams.map(({ next }) => next)).toEqual(before)
  run.setMayDerive(true)
  await until(run.isDone)
  expectExactlyOnce(run)
})

test('while all wait and enough is read nobody sees where the input ends', async () => {
  const run = startAll(33, { events: 4_000 })
  run.setMayDerive(false)
  await until(() => run.streams.every(({ hold }) => hold === undefined))
  await until(() => !run.flow.end.isSeen())
  run.setMayDerive(true)
  await until(run.isDone)
  expect(run.flow.end).toMatchObject({ at: run.log.end })
  await until(run.flow.end.isSeen)
})

test('streams that keep up share one place', async () => {
  const run = startAll(32, { events: 300 })
  await until(run.isDone)
  await until(() => run.log.readers === 1)
})
