// An input stream with many encrypted events, written by the real ingest as fast as it accepts them.
import { createAdmin } from '@weir/kafka'
import type { Admin } from '@weir/kafka'
import { delay } from '@weir/kit'
import type { Account, TestStream, World } from '@weir/testkit'
import { connectBench } from './arrivals.ts'
import { batchesOf, clickstreamBodies } from './events.ts'
import { loadOf } from './load-of.ts'
import type { LoadPlan } from './load/load.ts'
import { otherCore, startNode } from './processes.ts'

export const partitions = 3
export const unlimited = { eventRate: '999999999', eventCount: '999999999999' }
const eventsPerRequest = 500
const settleMs = 500

export type FilledStream = { readonly stream: TestStream; readonly events: number }

export const createBenchAdmin = (): Admin => createAdmin(connectBench())

/** Creates a stream with at least this many events. Returns the stream, and the actual number of events. */
export async function fillStream(
  { world, account, admin }: { world: World; account: Account; admin: Admin },
  name: string,
  eventsMin: number,
): Promise<FilledStream> {
  const stream = await account.input(name, { partitions, limits: unlimited })
  const token = await account.token(stream)
  const plan: LoadPlan = {
    ...loadOf({
      port: Number(new URL(world.ingest.url).port),
      token,
      type: 'application/x-avro-batch',
      bodies: batchesOf((await clickstreamBodies()).avro, eventsPerRequest),
      path: '/events',
    }),
    streams: 1,
    answer: `{"accepted":${eventsPerRequest},"rejected":[]}`,
    warmUpMs: 0,
    measuredMs: 50,
    answersMin: Math.ceil(eventsMin / eventsPerRequest),
  }
  const load = startNode(loadFile, [JSON.stringify(plan)], otherCore)
  try {
    await load.line((line) => line.startsWith('{'))
  } finally {
    load.stop()
  }
  return { stream, events: await settledCount(admin, stream.topic) }
}

/** Waits for the events that were in flight at the end of the load, because they are stored, too. */
async function settledCount(admin: Admin, topic: string): Promise<number> {
  for (let before = -1; ;) {
    const ends = await admin.offsets.ends(topic, { isolation: 'read_uncommitted' })
    const now = ends.reduce((sum, end) => sum + Number(end), 0)
    if (now === before) return now
    before = now
    await delay(settleMs)
  }
}

const loadFile = `${import.meta.dirname}/load/load.ts`
