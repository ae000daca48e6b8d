// Part `client`: the cost of an event for the sending program, and the program's throughput. Compares our driver with
// bare node:http2, which gets encoded events. The programs run one after the other, each alone on the measured core.
// Ingest and Kafka share the other core, so the throughput depends on them, too.
import { signUp, exampleContract, exampleEvent, startWorld } from '@weir/testkit'
import type { World } from '@weir/testkit'
import type { Run } from './measure.ts'
import type { PartOptions } from './part.ts'
import { measuredCore, otherCore, pin, startNode } from './processes.ts'
import { partitions, unlimited } from './filled-stream.ts'
import { resultOf, spreadOf } from './results.ts'
import type { Result } from './results.ts'
import type { SendResult } from './sending/sender.ts'
import type { SendPlan, Way } from './sending/ways.ts'

const senderFile = `${import.meta.dirname}/sending/sender.ts`
/** The first one is the baseline. */
const ways: readonly Way[] = ['raw-event', 'raw-batch', 'driver']

export async function benchClient(options: PartOptions): Promise<Result[]> {
  const { warmUpMs, measuredMs, log } = options
  const world = await startWorld()
  try {
    pin(world.ingest.pid, otherCore)
    const plan = { ...(await planFor(world)), warmUpMs, measuredMs }
    const runs = new Map<Way, Run[]>()
    for (let round = 0; round < options.runs; round += 1)
      for (const way of ways) {
        const run = await measureSender({ ...plan, way })
        runs.set(way, [...(runs.get(way) ?? []), run])
        const { eventsPerCpuSecond, eventsPerSecond } = run
        log(
          `client-${way}: ${(1e6 / eventsPerCpuSecond).toFixed(2)} µs of CPU an event, ${Math.round(eventsPerSecond)} stored a second`,
        )
      }
    const raw = spreadOf((runs.get('raw-event') ?? []).map((run) => run.eventsPerCpuSecond))
    return [...runs].map(([way, each]) => ({
      ...resultOf(`client-${way}`, each, raw),
      eventsPerSecond: spreadOf(
        each.map((run) => run.eventsPerSecond),
        0,
      ),
    }))
  } finally {
    await world.stop()
  }
}

type Plan = Omit<SendPlan, 'way' | 'warmUpMs' | 'measuredMs'>

async function planFor(world: World): Promise<Plan> {
  const account = await signUp(world.auth.url)
  await account.contract('clickstream')
  const stream = await account.input('client', { partitions, limits: unlimited })
  return {
    authUrl: world.auth.url,
    ingestUrl: world.ingest.url,
    billingId: account.billingId,
    clientId: stream.clientId,
    clientSecret: stream.clientSecret,
    token: await account.token(stream),
    contract: {
      id: 'clickstream',
      schema: (await exampleContract('clickstream')).schema,
    },
    event: await exampleEvent('clickstream'),
  }
}

async function measureSender(plan: SendPlan): Promise<Run> {
  const sender = startNode(senderFile, [JSON.stringify(plan)], measuredCore)
  try {
    const line = await sender.line((text) => text.startsWith('{'))
    const { events, cpuSeconds, seconds, ...rest } = JSON.parse(line) as SendResult
    return { eventsPerCpuSecond: events / cpuSeconds, eventsPerSecond: events / seconds, ...rest }
  } finally {
    sender.stop()
  }
}
