// Part `producers`: the cost of one record for the process that writes it to Kafka, with our own producer, kafkajs and
// @platformatic/kafka. The producers run one after the other, each alone on the measured core. The number of
// acknowledged records is compared with the topic.
import { createAdmin, createKafka } from '@weir/kafka'
import type { Admin } from '@weir/kafka'
import { createLog } from '@weir/kit'
import type { Run } from './measure.ts'
import type { PartOptions } from './part.ts'
import { measuredCore, startNode } from './processes.ts'
import type { ClientName } from './producing/clients.ts'
import type { ProducePlan, ProduceResult } from './producing/producer.ts'
import { resultOf, spreadOf } from './results.ts'
import type { Result } from './results.ts'

type Measured = Run & { meanBatch: number }

const producerFile = `${import.meta.dirname}/producing/producer.ts`
const names: readonly ClientName[] = ['own', 'kafkajs', 'platformatic']
const batches = [100, 500]
const partitions = 3
/** A short delay, because a run writes a gigabyte or more, which must be deleted before the next run. */
const config = { 'file.delete.delay.ms': '1000' }

export async function benchProducers(options: PartOptions): Promise<Result[]> {
  const { warmUpMs, measuredMs, log } = options
  const brokers = (process.env['KAFKA_BROKERS'] ?? '').split(',')
  const kafka = createKafka({ brokers, clientId: 'bench', log: createLog('bench', 'silent') })
  const admin = createAdmin(kafka)
  const runs = new Map<string, Measured[]>()
  const each = batches
    .flatMap((batch) =>
      names.map((client) => ({ name: `produce-${client}-${batch}`, client, batch })),
    )
    .filter(({ name }) => name.startsWith(options.only))
  try {
    for (let round = 0; round < options.runs; round += 1)
      for (const { name, client, batch } of each) {
        const topic = `${name}-${round}`
        const plan = { client, brokers, topic, partitions, batch, warmUpMs, measuredMs }
        const run = await measureProducer(admin, plan)
        runs.set(name, [...(runs.get(name) ?? []), run])
        log(
          `${name}: ${(1e6 / run.eventsPerCpuSecond).toFixed(2)} µs of CPU a record, ` +
            `${Math.round(run.eventsPerSecond)} a second, ${run.meanBatch.toFixed(1)} a batch`,
        )
      }
  } finally {
    await admin.close()
  }
  return [...runs].map(([name, measured]) => ({
    ...resultOf(name, measured),
    meanBatch: Number(spreadOf(measured.map((run) => run.meanBatch)).median.toFixed(1)),
  }))
}

async function measureProducer(admin: Admin, plan: ProducePlan): Promise<Measured> {
  await admin.topics.create({ topic: plan.topic, partitions, config })
  const producer = startNode(producerFile, [JSON.stringify(plan)], measuredCore)
  try {
    const line = await producer.line((text) => text.startsWith('{'))
    const result = JSON.parse(line) as ProduceResult
    const ends = await admin.offsets.ends(plan.topic, { isolation: 'read_uncommitted' })
    return { ...runOf(result), errors: countMismatches(result.acknowledged, ends) }
  } finally {
    producer.stop()
    await admin.topics.delete(plan.topic)
  }
}

function runOf({ records, batches: sent, cpuSeconds, seconds, ...rest }: ProduceResult) {
  return {
    eventsPerCpuSecond: records / cpuSeconds,
    eventsPerSecond: records / seconds,
    meanBatch: records / sent,
    p50Ms: rest.p50Ms,
    p99Ms: rest.p99Ms,
    rssMb: rest.rssMb,
  }
}

/** Returns how many acknowledged records are missing, plus how many records are duplicates. */
function countMismatches(acknowledged: readonly number[], ends: readonly bigint[]): number {
  return acknowledged.reduce(
    (sum, count, partition) => sum + Math.abs(count - Number(ends[partition] ?? 0n)),
    0,
  )
}
