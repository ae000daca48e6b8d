// Parts `latency` and `tail`: how long an event takes from its POST to a consumer of a derived topic and to a WebSocket
// client; and what a thousand WebSocket clients of one stream cost output.
import { signUp, kafkaBrokers, startWorld } from '@weir/testkit'
import type { Account, TestStream, World } from '@weir/testkit'
import { startEcho } from './echo.ts'
import { partitions, unlimited } from './filled-stream.ts'
import type { Run } from './measure.ts'
import type { PartOptions } from './part.ts'
import { measuredCore, otherCore, pin, unpin } from './processes.ts'
import { resultOf } from './results.ts'
import type { Result } from './results.ts'
import { watchedInWords, runOf, watch } from './watched.ts'
import type { LatencyPlan, LatencyResult } from './watching/latency-probe.ts'
import type { WatchersPlan, WatchersResult } from './watching/many-watchers.ts'

export type WatchedStreams = {
  world: World
  account: Account
  input: TestStream
  derived: TestStream
  /** A token to send events to the input, or to watch it. */
  token: string
  derivedToken: string
}

const latencyRate = 2_000
/** Warm-up runs, until Java has compiled Kafka's code. */
const latencyWarmUps = 4
const tailRate = 500
const watchers = 1_000
const manyWebSockets = { CONNECTIONS_MAX: '20000', WEBSOCKETS_PER_CREDENTIAL_MAX: `${watchers}` }
const warmUpMs = 4_000

export async function benchLatency(options: PartOptions): Promise<Result[]> {
  const { runs } = options
  const consumers: Run[] = []
  const webSockets: Run[] = []
  const echoes: Run[] = []
  const transactions: Run[] = []
  await withStreams(options, async (streams) => {
    shareAllCores(options, streams)
    const echo = await startEcho(options, latencyRate)
    const inTransactions = await startEcho(options, latencyRate, 'echo-in-transactions')
    try {
      for (let count = 0; count < latencyWarmUps + runs; count += 1) {
        const echoed = await echo.measure()
        const inOne = await inTransactions.measure()
        const { consumer, webSocket } = await measureLatency(options, streams, latencyRate)
        if (count < latencyWarmUps) continue
        consumers.push(consumer)
        webSockets.push(webSocket)
        echoes.push(echoed)
        transactions.push(inOne)
      }
    } finally {
      echo.stop()
      inTransactions.stop()
    }
  })
  return [
    resultOf('latency-derived', consumers),
    resultOf('latency-ws', webSockets),
    resultOf('echo', echoes),
    resultOf('echo-in-transactions', transactions),
  ]
}

export type Latency = { consumer: Run; webSocket: Run }

/** Measures the latency of the derived stream, while its input gets `rate` events per second. */
export async function measureLatency(
  { measuredMs, log }: PartOptions,
  { world, derived, ...streams }: WatchedStreams,
  rate: number,
): Promise<Latency> {
  const plan: LatencyPlan = {
    ...portsOf(world),
    token: streams.token,
    outputToken: streams.derivedToken,
    topic: derived.topic,
    brokers: kafkaBrokers(),
    rate,
    warmUpMs,
    measuredMs,
  }
  const watched = await watch<LatencyResult>('latency-probe.ts', plan, {
    pid: world.output.pid,
    isFirst: true,
  })
  const { consumer, webSocket, errors, events } = watched.outcome
  log(
    `latency: consumer ${consumer.p50Ms.toFixed(1)} and ${consumer.p99Ms.toFixed(1)} ms, ` +
      `WebSocket ${webSocket.p50Ms.toFixed(1)} and ${webSocket.p99Ms.toFixed(1)} ms ` +
      `(50th and 99th percentile)${watchedInWords(errors)}`,
  )
  const run = runOf(watched, events, errors)
  return {
    consumer: { ...run, ...consumer, errors: run.errors + consumer.errors },
    webSocket: { ...run, ...webSocket, errors: run.errors + webSocket.errors },
  }
}

export async function benchTail(options: PartOptions): Promise<Result[]> {
  const { runs, measuredMs, log } = options
  const kept: Run[] = []
  await withStreams(options, async (streams) => {
    for (let count = 0; count < runs; count += 1) {
      const { token } = streams
      const more = { outputToken: token, rate: tailRate, watchers, warmUpMs, measuredMs }
      const plan: WatchersPlan = { ...portsOf(streams.world), token, ...more }
      const watched = await watch<WatchersResult>('many-watchers.ts', plan, {
        pid: streams.world.output.pid,
        isFirst: false,
      })
      const { events, complete, tooSlow, incomplete, connectMs, errors, ...times } = watched.outcome
      const messages = ((events * measuredMs) / (measuredMs + warmUpMs)) * watchers
      const share = watched.cpuUsed / (measuredMs / 1_000)
      log(
        `tail-${watchers}: ${complete} got all of ${events} events, ${tooSlow} were closed with 1013, ` +
          `${incomplete} neither; ${(share * 100).toFixed(0)} % of a core; ` +
          `${(connectMs / 1_000).toFixed(1)} s until all were there${watchedInWords(errors)}`,
      )
      const run = runOf(watched, messages, errors)
      kept.push({ ...run, ...times, errors: run.errors + incomplete })
    }
  })
  return [resultOf(`tail-${watchers}`, kept)]
}

/** Lets the processes run on all cores, because waiting for a shared core would distort latencies. */
export function shareAllCores({ brokerPid }: PartOptions, { world }: WatchedStreams): void {
  for (const { pid } of [process, world.auth, world.ingest, world.output]) unpin(pid)
  if (brokerPid !== undefined) unpin(brokerPid)
}

/** Runs `work` with an input and an output, while the output service has the measured core alone. */
export async function withStreams(
  { profileFolder }: PartOptions,
  work: (streams: WatchedStreams) => Promise<void>,
): Promise<void> {
  const flags = `--cpu-prof --cpu-prof-dir=${profileFolder}`
  const world = await startWorld({
    ...manyWebSockets,
    ...(profileFolder === undefined ? {} : { NODE_OPTIONS: flags }),
  })
  try {
    const account = await signUp(world.auth.url)
    await account.contract('clickstream')
    const input = await account.input('bench', { partitions, limits: unlimited })
    const derived = await account.output('bench', 'bench-1', { consentLevels: [1] })
    pin(process.pid, otherCore)
    for (const service of [world.auth, world.ingest]) pin(service.pid, otherCore)
    pin(world.output.pid, measuredCore)
    await work({
      world,
      account,
      input,
      derived,
      token: await account.token(input),
      derivedToken: await account.token(derived),
    })
  } finally {
    await world.stop()
  }
}

const portIn = (url: string): number => Number(new URL(url).port)
const portsOf = ({ ingest, output }: World) => ({
  ingestPort: portIn(ingest.url),
  outputPort: portIn(output.url),
})
