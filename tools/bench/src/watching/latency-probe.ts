// A process that sends numbered events and receives them again, as a read_committed consumer of the derived topic and
// as a WebSocket client, so that one clock measures all times. It prints for its parent when the measured time starts
// and ends, and then the results.
import { createAdmin, createKafka, tailTopic } from '@weir/kafka'
import { createLog, delay } from '@weir/kit'
import { latenciesOf } from './latencies.ts'
import type { Latencies } from './latencies.ts'
import { numberIn, sendNumbered } from './numbered-events.ts'
import type { NumberedPlan } from './numbered-events.ts'
import { openRawWatcher } from './raw-watcher.ts'

export type LatencyPlan = Omit<NumberedPlan, 'count'> & {
  outputPort: number
  /** A token of the derived stream. */
  outputToken: string
  topic: string
  brokers: string[]
  warmUpMs: number
  measuredMs: number
}
export type LatencyResult = {
  events: number
  consumer: Latencies
  webSocket: Latencies
  errors: Record<string, number>
}

const lateMs = 5_000

async function run(plan: LatencyPlan): Promise<LatencyResult> {
  const count = Math.round((plan.rate * (plan.warmUpMs + plan.measuredMs)) / 1_000)
  const first = Math.round((plan.rate * plan.warmUpMs) / 1_000)
  const [consumer, webSocket] = [new Float64Array(count), new Float64Array(count)]
  const errors: Record<string, number> = {}
  const note = (what: string): void => void (errors[what] = (errors[what] ?? 0) + 1)
  let twice = 0
  const arrive = (arrivals: Float64Array, number: number): void => {
    if (arrivals[number] === 0) arrivals[number] = performance.now()
    else twice += 1
  }

  let isReading = false
  await readTopic(plan, {
    onNumber: (number) => arrive(consumer, number),
    onReading: () => (isReading = true),
    onStopped: () => note('the topic is gone'),
  })
  const { outputPort: port, outputToken: token } = plan
  await openRawWatcher({ port, token, onText: (text) => arrive(webSocket, numberIn(text)) })
  const sender = await sendNumbered({ ...plan, count }, note)
  await delay(plan.warmUpMs)
  if (!isReading) note('the consumer read nothing in the warm-up')
  process.stdout.write('measuring\n')
  await sender.done
  process.stdout.write('measured\n')
  const giveUpAt = performance.now() + lateMs
  const isMissing = (arrivals: Float64Array): boolean => arrivals.includes(0)
  while ((isMissing(consumer) || isMissing(webSocket)) && performance.now() < giveUpAt)
    await delay(50)
  if (twice > 0) note(`${twice} came twice`)

  const measured = { first, dueAt: sender.dueAt }
  return {
    events: count - first,
    consumer: latenciesOf(consumer, measured),
    webSocket: latenciesOf(webSocket, measured),
    errors,
  }
}

async function readTopic(
  { brokers, topic }: LatencyPlan,
  on: { onNumber(number: number): void; onReading(): void; onStopped(): void },
): Promise<void> {
  const kafka = createKafka({ brokers, clientId: 'bench', log: createLog('bench', 'silent') })
  const admin = createAdmin(kafka)
  const fromOffsets = await admin.offsets.ends(topic, { isolation: 'read_committed' })
  tailTopic(kafka, {
    topic,
    fromOffsets,
    onRecords(_, records) {
      for (const { value } of records) if (value !== null) on.onNumber(numberIn(value))
    },
    onPosition: on.onReading,
    onStopped: on.onStopped,
  })
}

const planText = process.argv[2]
if (planText === undefined) throw new Error('usage: latency-probe.ts PLAN, the plan as JSON')
const result = await run(JSON.parse(planText) as LatencyPlan)
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
