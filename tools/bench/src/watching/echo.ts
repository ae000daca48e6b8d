// A minimal program between two topics: reads each record, and writes it to the second topic.
import { openProducer, readPlainValues } from './plain-kafka.ts'

export type EchoPlan = { readonly brokers: string[]; readonly from: string; readonly to: string }

const planText = process.argv[2]
if (planText === undefined) throw new Error('usage: echo.ts PLAN, the plan as JSON')
const { brokers, from, to } = JSON.parse(planText) as EchoPlan
const { put } = openProducer({ brokers, topic: to })
await readPlainValues({ brokers, topic: from }, put)
process.stdout.write('reading\n')
