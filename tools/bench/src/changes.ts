// Part `changes`: how other activity affects a stream. Measures the latency of a quiet stream, alone and beside a noisy
// stream. Also measures how soon a new derived stream has its first event, and how soon a derived stream has an event
// that was sent while output restarted.
import { createAdmin } from '@weir/kafka'
import type { Service } from '@weir/devstack'
import { connectProducer, exampleEvent } from '@weir/testkit'
import { clickstreamBodies } from './events.ts'
import { connectBench, nextRecordIn } from './arrivals.ts'
import { startEcho } from './echo.ts'
import { partitions, unlimited } from './filled-stream.ts'
import { loadOf } from './load-of.ts'
import { measure } from './measure.ts'
import type { Run } from './measure.ts'
import type { PartOptions } from './part.ts'
import { resultOf, timesOf } from './results.ts'
import type { Result } from './results.ts'
import { measureLatency, shareAllCores, withStreams } from './watch.ts'
import type { Latency, WatchedStreams } from './watch.ts'

const quietRate = 100
const noisyRate = 5_000
/** The time for starting the quiet stream's run, including its warm-up. */
const startMs = 8_000
/** The number of warm-up runs with noise, until Java has compiled Kafka's code. */
const warmUps = 4
const newStreams = 10
const restarts = 5

export async function benchChanges(options: PartOptions): Promise<Result[]> {
  const results: Result[] = []
  await withStreams(options, async (streams) => {
    shareAllCores(options, streams)
    results.push(...(await measureQuiet(options, streams)))
    const wait = await openWait(streams)
    try {
      results.push(timesOf('new-stream', await timeNewStreams(streams, wait)))
      results.push(timesOf('restart', await timeRestarts(streams, wait)))
    } finally {
      await wait.close()
    }
  })
  return results
}

/**
 * Measures a quiet stream, alone and beside a noisy stream in turn. Measures `echo` at the same rate, too, to show how
 * much of the difference comes from the broker and the machine.
 */
async function measureQuiet(options: PartOptions, streams: WatchedStreams): Promise<Result[]> {
  const alone: Latency[] = []
  const beside: Latency[] = []
  const echoAlone: Run[] = []
  const echoBeside: Run[] = []
  const makeNoise = await prepareNoise(options, streams)
  const besideNoise = async <Measured>(work: () => Promise<Measured>): Promise<Measured> => {
    const noise = makeNoise()
    const measured = await work()
    options.log(`  beside one with ${Math.round((await noise).eventsPerSecond)} events a second`)
    return measured
  }
  const measureStream = () => measureLatency(options, streams, quietRate)
  const echo = await startEcho(options, quietRate)
  try {
    for (let count = 0; count < warmUps; count += 1) await makeNoise()
    for (let count = 0; count < options.runs; count += 1) {
      alone.push(await measureStream())
      beside.push(await besideNoise(measureStream))
      echoAlone.push(await echo.measure())
      echoBeside.push(await besideNoise(echo.measure))
    }
  } finally {
    echo.stop()
  }
  return [
    ...resultsOf('quiet-alone', alone),
    ...resultsOf('quiet-beside-noisy', beside),
    resultOf('quiet-alone-echo', echoAlone),
    resultOf('quiet-beside-noisy-echo', echoBeside),
  ]
}

const resultsOf = (name: string, runs: readonly Latency[]): Result[] => [
  resultOf(
    `${name}-derived`,
    runs.map(({ consumer }) => consumer),
  ),
  resultOf(
    `${name}-ws`,
    runs.map(({ webSocket }) => webSocket),
  ),
]

/** Creates another input stream with an output. Returns a function that runs load on that stream. */
async function prepareNoise(
  { measuredMs }: PartOptions,
  { world, account }: WatchedStreams,
): Promise<() => Promise<Run>> {
  const input = await account.input('noisy', { partitions, limits: unlimited })
  await account.output('noisy', 'noisy-1', { consentLevels: [1] })
  const load = loadOf({
    port: Number(new URL(world.ingest.url).port),
    token: await account.token(input),
    type: 'application/json',
    bodies: (await clickstreamBodies()).json,
  })
  const plan = { ...load, rate: noisyRate, warmUpMs: 1_000, measuredMs: startMs + measuredMs }
  return () => measure(world.output.pid, plan)
}

type Wait = {
  /** Sends an event, and resolves when readers of the derived topic see it. The topic must have no other writers. */
  forEventIn(topic: string): Promise<void>
  close(): Promise<void>
}

async function openWait({ world, token }: WatchedStreams): Promise<Wait> {
  const kafka = connectBench()
  const admin = createAdmin(kafka)
  const producer = await connectProducer(world.ingest.url)
  const event = await exampleEvent('clickstream')
  return {
    async forEventIn(topic) {
      const arrival = await nextRecordIn({ kafka, admin }, topic)
      const { status } = await producer.send(event, { token, schemaId: 'clickstream' })
      if (status !== 204) throw new Error(`the event was answered with ${status}`)
      await arrival.came
      arrival.close()
    },
    async close() {
      producer.close()
      await admin.close()
    },
  }
}

/** Measures the time from the 201 of a derived stream to its first event, in ms. */
async function timeNewStreams({ account, input }: WatchedStreams, wait: Wait): Promise<number[]> {
  const took: number[] = []
  for (let count = 0; count < newStreams; count += 1) {
    const made = await account.output(input.name, `new-${count}`, { consentLevels: [0] })
    const startedAt = performance.now()
    await wait.forEventIn(made.topic)
    took.push(performance.now() - startedAt)
  }
  return took
}

/** Measures the time from the SIGTERM of the only output replica until a later event is derived, in ms. */
async function timeRestarts({ world, derived }: WatchedStreams, wait: Wait): Promise<number[]> {
  const took: number[] = []
  let output: Service = world.output
  for (let count = 0; count < restarts; count += 1) {
    const startedAt = performance.now()
    await output.stop()
    const seen = wait.forEventIn(derived.topic)
    output = await world.replica('output')
    await seen
    took.push(performance.now() - startedAt)
  }
  return took
}
