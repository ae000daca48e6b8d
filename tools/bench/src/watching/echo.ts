// A minimal program that copies the records of one topic to another.
import { openProducer, readPlainValues } from './plain-kafka.ts'

export type EchoPlan = { readonly brokers: string[]; readonly from: string; readonly to: string }

const planText = process.argv[2]
if (planText === undefined) throw new Error('usage: echo.ts PLAN, the plan as JSON')
const { brokers, from, to } = JSON.parse(planText) as EchoPlan
const { put } = openProducer({ brokers, topic: to })
await readPlainValues({ brokers, topic: from }, put)
process.stdout.write('reading\n')
