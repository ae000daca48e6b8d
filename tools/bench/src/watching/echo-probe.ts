// A process that writes numbered records to one topic at a fixed rate, and reads them from another topic, so that one
// clock measures both times.
import { delay } from '@weir/kit'
import { startPacing, writeDigits } from '../load/pacing.ts'
import type { EchoPlan } from './echo.ts'
import { latenciesOf } from './latencies.ts'
import type { Latencies } from './latencies.ts'
import { openProducer, readPlainValues } from './plain-kafka.ts'

export type EchoProbePlan = EchoPlan & {
  readonly rate: number
  /** The size of each record. */
  readonly bytes: number
  readonly warmUpMs: number
  readonly measuredMs: number
}
export type EchoResult = Latencies & { readonly events: number }

const digits = 9
const lateMs = 5_000

async function run(plan: EchoProbePlan): Promise<EchoResult> {
  const { brokers, from, to, rate, bytes, warmUpMs, measuredMs } = plan
  const count = Math.round((rate * (warmUpMs + measuredMs)) / 1_000)
  const first = Math.round((rate * warmUpMs) / 1_000)
  const arrivals = new Float64Array(count)
  await readPlainValues({ brokers, topic: to }, (value) => {
    arrivals[Number(value.toString('latin1', 0, digits))] = performance.now()
  })
  const { put } = openProducer({ brokers, topic: from })
  const connection = {
    request: (value: Buffer): boolean => {
      put(value)
      return true
    },
    flush: () => {},
    inFlight: () => 0,
    close: () => {},
  }
  const body = (number: number): Buffer => {
    const value = Buffer.alloc(bytes, 'x')
    writeDigits(value, { at: 0, digits }, number)
    return value
  }
  const { dueAt, done } = startPacing([connection], { rate, count, body })
  await delay(warmUpMs)
  process.stdout.write('measuring\n')
  await done
  process.stdout.write('measured\n')
  const giveUpAt = performance.now() + lateMs
  while (arrivals.includes(0) && performance.now() < giveUpAt) await delay(50)
  return { events: count - first, ...latenciesOf(arrivals, { first, dueAt }) }
}

const planText = process.argv[2]
if (planText === undefined) throw new Error('usage: echo-probe.ts PLAN, the plan as JSON')
const result = await run(JSON.parse(planText) as EchoProbePlan)
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
