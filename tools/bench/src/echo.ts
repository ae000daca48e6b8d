// The baseline for Weir's latencies: a broker, and a minimal program that copies one topic to another. The same copy in
// transactions shows what the usual way would cost.
import { randomUUID } from 'node:crypto'
import { kafkaBrokers } from '@weir/testkit'
import { createBenchAdmin, partitions } from './filled-stream.ts'
import type { Run } from './measure.ts'
import type { PartOptions } from './part.ts'
import { otherCore, startNode, unpin } from './processes.ts'
import type { EchoPlan } from './watching/echo.ts'
import type { EchoProbePlan, EchoResult } from './watching/echo-probe.ts'
import { runOf, watch } from './watched.ts'

export type Echo = { measure(): Promise<Run>; stop(): void }

/** The approximate size of a derived event. */
const bytes = 400
const warmUpMs = 4_000

const programs = {
  echo: `${import.meta.dirname}/watching/echo.ts`,
  'echo-in-transactions': `${import.meta.dirname}/watching/echo-in-transactions.ts`,
}

export async function startEcho(
  { measuredMs, log }: PartOptions,
  eventsPerSecond: number,
  program: keyof typeof programs = 'echo',
): Promise<Echo> {
  const admin = createBenchAdmin()
  const [from, to] = [`echo-in-${randomUUID()}`, `echo-out-${randomUUID()}`]
  for (const topic of [from, to]) await admin.topics.create({ topic, partitions })
  await admin.close()
  const plan: EchoPlan = { brokers: kafkaBrokers(), from, to }
  const echo = startNode(programs[program], [JSON.stringify(plan)], otherCore)
  unpin(echo.pid)
  await echo.line((line) => line === 'reading')
  const probe: EchoProbePlan = { ...plan, rate: eventsPerSecond, bytes, warmUpMs, measuredMs }
  return {
    async measure() {
      const watched = await watch<EchoResult>('echo-probe.ts', probe, {
        pid: echo.pid,
        isFirst: true,
      })
      const { events, p50Ms, p99Ms, errors } = watched.outcome
      log(`${program}: ${p50Ms.toFixed(1)} and ${p99Ms.toFixed(1)} ms (50th and 99th percentile)`)
      return { ...runOf(watched, events, {}), p50Ms, p99Ms, errors }
    },
    stop: echo.stop,
  }
}
