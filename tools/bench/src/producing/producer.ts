// The process that part `producers` measures. It runs one client, which stores batches of generated records as fast as
// the broker accepts them, with one batch in flight per partition. It reads its plan from the first argument. It prints
// its resource use and the number of acknowledged records.
import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { clients } from './clients.ts'
import type { BenchRecord, ClientName } from './clients.ts'

export type ProducePlan = {
  readonly client: ClientName
  readonly brokers: string[]
  readonly topic: string
  readonly partitions: number
  readonly batch: number
  readonly warmUpMs: number
  readonly measuredMs: number
}
export type ProduceResult = {
  /** The records that were acknowledged during the measurement. */
  readonly records: number
  readonly batches: number
  readonly cpuSeconds: number
  readonly seconds: number
  /** The time from handing over a batch to its acknowledgement. */
  readonly p50Ms: number
  readonly p99Ms: number
  readonly rssMb: number
  /** The records that were acknowledged over the process's whole life, for each partition. */
  readonly acknowledged: readonly number[]
}

const valueBytes = 400
const variants = 1_000

const plan = JSON.parse(process.argv[2] ?? '') as ProducePlan
const people = Array.from({ length: variants }, () => ({
  key: randomUUID(),
  value: randomBytes(valueBytes),
  keyLink: randomBytes(18).toString('base64'),
}))
const client = await clients[plan.client](plan)
const acknowledged = Array.from({ length: plan.partitions }, () => 0)
let sends = 0
let batchMs: number[] = []
let goesOn = true

function nextRecords(): BenchRecord[] {
  const timestampMs = Date.now()
  return people.slice(0, plan.batch).map(({ key, value, keyLink }) => ({
    key,
    value,
    headers: { 'svc-schema-id': 'clickstream', 'svc-key-link': keyLink },
    timestampMs,
  }))
}

async function storeOn(partition: number): Promise<void> {
  while (goesOn) {
    const records = nextRecords()
    const startedMs = performance.now()
    await client.store(partition, records)
    batchMs.push(performance.now() - startedMs)
    acknowledged[partition] = (acknowledged[partition] ?? 0) + records.length
    sends += 1
  }
}

function quantile(share: number): number {
  const sorted = batchMs.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * share)] ?? NaN
}

const totals = () => ({
  records: acknowledged.reduce((sum, count) => sum + count, 0),
  batches: client.batches?.() ?? sends,
  ms: performance.now(),
  cpu: process.cpuUsage(),
})

const stored = Promise.all(acknowledged.map((_, partition) => storeOn(partition)))
await Promise.race([stored, delay(plan.warmUpMs)])
batchMs = []
const before = totals()
await Promise.race([stored, delay(plan.measuredMs)])
const after = totals()
const used = process.cpuUsage(before.cpu)
const measured = {
  records: after.records - before.records,
  batches: after.batches - before.batches,
  cpuSeconds: (used.user + used.system) / 1e6,
  seconds: (after.ms - before.ms) / 1000,
  p50Ms: quantile(0.5),
  p99Ms: quantile(0.99),
  rssMb: process.memoryUsage.rss() / 2 ** 20,
}
goesOn = false
await stored
await client.close()
const result: ProduceResult = { ...measured, acknowledged }
process.stdout.write(`${JSON.stringify(result)}\n`)
process.exit(0)
