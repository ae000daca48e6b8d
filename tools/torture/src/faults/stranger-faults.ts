// Mistakes of other clients on the same cluster with topics and groups of Weir.
import { delay } from '@weir/kit'
import type { Position } from '@weir/kafka'

import type { TestOutput } from '../streams.ts'
import type { ForeignRecord } from '../world/strangers.ts'
import type { PlannedFault } from './plan.ts'
import type { Theatre } from './theatre.ts'

const FOREIGN_RECORDS_MAX = 200
const AHEAD = 1_000
const CORRUPT_EVERY_MS = 60

/** Returns `svc-source` values for foreign records. No value may affect the stream's position. */
const foreignSources = (input: string, partition: number, ahead: bigint): readonly string[] => [
  `elsewhere/${partition}/${ahead}`,
  `${input}/${partition + 1}/${ahead}`,
  `${input}/${partition}/x`,
  `${input}/${partition}`,
  '',
]

/** Appends foreign records to a derived partition and to its dead letter partition. */
export async function writeForeign(theatre: Theatre, { choice }: PlannedFault): Promise<void> {
  const { stream, partition } = chosenPartition(theatre, choice)
  const sources = foreignSources(stream.input.topic, partition, BigInt(AHEAD))
  const count = Math.ceil(choice * FOREIGN_RECORDS_MAX)
  const records = Array.from({ length: count }, (_, at) => ({
    partition,
    value: 'foreign',
    ...(at % 3 === 0 ? {} : { headers: { 'svc-source': sources[at % sources.length] ?? '' } }),
  }))
  await theatre.strangers.write(inBoth(stream, records))
}

/**
 * Keeps a foreign transaction open in the derived and the dead letter partition while they get another owner. The
 * transaction's records name a source far ahead.
 */
export async function openTransaction(theatre: Theatre, fault: PlannedFault): Promise<void> {
  const { fleet, strangers, topics } = theatre
  const { stream, partition } = chosenPartition(theatre, fault.choice)
  const end = (await topics.ends(stream.input.topic))[partition] ?? 0n
  const source = `${stream.input.topic}/${partition}/${end + BigInt(AHEAD)}`
  const records = [{ partition, value: 'foreign', headers: { 'svc-source': source } }]
  await strangers.writeAndAbort(inBoth(stream, records), async () => {
    await Promise.all(fault.on.map((slot) => fleet.kill(slot)))
    await delay(fault.forMs)
  })
  await Promise.all(fault.on.map((slot) => fleet.start(slot)))
}

const inBoth = (
  { topic }: TestOutput,
  records: readonly Omit<ForeignRecord, 'topic'>[],
): ForeignRecord[] =>
  [topic, `${topic}.dead`].flatMap((one) => records.map((record) => ({ ...record, topic: one })))

/**
 * Commits old positions again, even those of a deleted stream of the same name, or commits positions without metadata.
 * Then kills the replicas of output, so that the next owners read these positions.
 */
export async function commitLate(theatre: Theatre, fault: PlannedFault): Promise<void> {
  const { fleet, strangers, formerPositions, streams } = theatre
  const isUnmarked = fault.choice < 0.4
  for (const stream of streams.derived()) {
    const now = await strangers.positions(stream)
    const former = formerPositions.get(stream.name) ?? now
    formerPositions.set(stream.name, now)
    await strangers.commit(stream.groupId, isUnmarked ? unmarked(now, fault.choice < 0.2) : former)
  }
  await Promise.all(fault.on.map((slot) => fleet.kill(slot)))
  await Promise.all(fault.on.map((slot) => fleet.start(slot)))
}

/** Positions without metadata, as `kafka-consumer-groups --reset-offsets` commits them. */
const unmarked = (positions: readonly Position[], isAhead: boolean): Position[] =>
  positions.map(({ topic, partition, offset }) => {
    const to = isAhead ? offset + BigInt(AHEAD) : 0n
    return { topic, partition, offset: to, metadata: '' }
  })

/** Appends records that are no events to an input stream, one by one, between events. */
export async function writeCorrupt(theatre: Theatre, fault: PlannedFault): Promise<void> {
  const { inputs } = theatre.streams
  const input = inputs[Math.floor(fault.choice * inputs.length)]
  if (input === undefined) return
  const { topic, partitions } = input
  const endMs = performance.now() + fault.forMs
  for (let at = 0; performance.now() < endMs; at += 1) {
    const partition = at % partitions
    await theatre.strangers.write([{ topic, partition, value: `corrupt ${at}` }])
    await delay(CORRUPT_EVERY_MS)
  }
}

function chosenPartition(
  { streams }: Theatre,
  choice: number,
): { readonly stream: TestOutput; readonly partition: number } {
  const all = streams.derived()
  const stream = all[Math.floor(choice * all.length)]
  if (stream === undefined) throw new Error('there are no derived streams')
  return { stream, partition: Math.floor(choice * 1_000) % stream.input.partitions }
}
