// A process with many WebSocket clients of one stream, which also sends the events. It prints for its parent when all
// clients are connected, when the measured time starts and ends, and how many clients received everything.
import { delay } from '@weir/kit'
import { numberIn, sendNumbered } from './numbered-events.ts'
import type { NumberedPlan } from './numbered-events.ts'
import { openRawWatcher } from './raw-watcher.ts'
import type { RawWatcher } from './raw-watcher.ts'

export type WatchersPlan = Omit<NumberedPlan, 'count'> & {
  outputPort: number
  outputToken: string
  watchers: number
  warmUpMs: number
  measuredMs: number
}
export type WatchersResult = {
  events: number
  /** The time until all clients were connected. */
  connectMs: number
  /** Clients that received every event. */
  complete: number
  /** Clients closed with 1013. */
  tooSlow: number
  /** All other clients. */
  incomplete: number
  /** The latencies of one client, in the measured time. */
  p50Ms: number
  p99Ms: number
  errors: Record<string, number>
}

const connectAtOnce = 50
const lateMs = 10_000
const tooSlowCode = 1013

async function connectAll(plan: WatchersPlan, onText: (text: Buffer) => void) {
  const { outputPort: port, outputToken: token } = plan
  const watchers: RawWatcher[] = [await openRawWatcher({ port, token, onText })]
  while (watchers.length < plan.watchers) {
    const more = Math.min(connectAtOnce, plan.watchers - watchers.length)
    const opened = Array.from({ length: more }, () => openRawWatcher({ port, token }))
    watchers.push(...(await Promise.all(opened)))
  }
  return watchers
}

async function run(plan: WatchersPlan): Promise<WatchersResult> {
  const { rate, warmUpMs, measuredMs } = plan
  const count = Math.round((rate * (warmUpMs + measuredMs)) / 1_000)
  const errors: Record<string, number> = {}
  const note = (what: string): void => void (errors[what] = (errors[what] ?? 0) + 1)
  const arrivals = new Map<number, number>()
  const beganAt = performance.now()
  const watchers = await connectAll(plan, (text) => {
    arrivals.set(numberIn(text), performance.now())
  })
  const connectMs = performance.now() - beganAt
  const sender = await sendNumbered({ ...plan, count }, note)
  await delay(warmUpMs)
  process.stdout.write('measuring\n')
  await sender.done
  const isDone = (watcher: RawWatcher): boolean =>
    watcher.messages() >= count || watcher.closedWith() !== undefined
  const giveUpAt = performance.now() + lateMs
  while (!watchers.every(isDone) && performance.now() < giveUpAt) await delay(20)
  process.stdout.write('measured\n')
  const took = [...arrivals]
    .filter(([number]) => number >= (rate * warmUpMs) / 1_000)
    .map(([number, arrivedAt]) => arrivedAt - sender.dueAt(number))
    .sort((a, b) => a - b)
  const percentile = (share: number): number => took[Math.floor(took.length * share)] ?? NaN
  const complete = watchers.filter((watcher) => watcher.messages() === count).length
  const tooSlow = watchers.filter((watcher) => watcher.closedWith() === tooSlowCode).length
  return {
    events: count,
    connectMs,
    complete,
    tooSlow,
    incomplete: watchers.length - complete - tooSlow,
    p50Ms: percentile(0.5),
    p99Ms: percentile(0.99),
    errors,
  }
}

const planText = process.argv[2]
if (planText === undefined) throw new Error('usage: many-watchers.ts PLAN, the plan as JSON')
const result = await run(JSON.parse(planText) as WatchersPlan)
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
