// The process that part `client` measures. It sends the example event for a thousand sessions in turn, as fast as it
// gets responses. It reads its plan from the first argument, and prints its resource use.
import { setTimeout as delay } from 'node:timers/promises'
import { ways } from './ways.ts'
import type { SendPlan } from './ways.ts'

export type SendResult = {
  /** The events that were stored during the measurement. */
  readonly events: number
  readonly cpuSeconds: number
  readonly seconds: number
  /** The time from handing over an event to its response. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly rssMb: number
  readonly errors: number
}

const sessions = 1_000

const plan = JSON.parse(process.argv[2] ?? '') as SendPlan
const events = Array.from({ length: sessions }, (_, index) => ({
  ...plan.event,
  producerSessionId: `session-${String(index).padStart(4, '0')}`,
}))
const { atOnce, perSend, send } = await ways[plan.way](plan, events)
let stored = 0
let errors = 0
let times: number[] = []
let goesOn = true

async function work(first: number): Promise<void> {
  for (let index = first; goesOn; index += atOnce) {
    const startedMs = performance.now()
    if (await send(index)) stored += perSend
    else errors += 1
    times.push(performance.now() - startedMs)
  }
}

const working = Promise.all(Array.from({ length: atOnce }, (_, index) => work(index)))
await delay(plan.warmUpMs)
times = []
const before = { stored, atMs: performance.now(), cpu: process.cpuUsage() }
await delay(plan.measuredMs)
const used = process.cpuUsage(before.cpu)
times.sort((one, other) => one - other)
const quantile = (share: number): number => times[Math.floor(times.length * share)] ?? NaN
const result: SendResult = {
  events: stored - before.stored,
  cpuSeconds: (used.user + used.system) / 1e6,
  seconds: (performance.now() - before.atMs) / 1000,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  rssMb: process.memoryUsage.rss() / 2 ** 20,
  errors,
}
goesOn = false
await working
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
