// Faults of Kafka while no replica of output runs: Kafka loses the groups' offsets, or retention removes events before
// they are derived.
import { delay, hasCode, pollUntil } from '@weir/kit'

import { sourceOffsetOf } from '../check/stored.ts'
import type { TestOutput } from '../streams.ts'
import { isOurs } from '../world/strangers.ts'
import { slotsOf } from '../world/slots.ts'
import type { Slot } from '../world/slots.ts'
import type { PlannedFault } from './plan.ts'
import type { Theatre } from './theatre.ts'

const GROUP_EMPTY_MS = 45_000
const SETTLE_MS = 1_000

export async function loseOffsets(theatre: Theatre, { choice }: PlannedFault): Promise<void> {
  const { topics, streams } = theatre
  await withoutOutputs(theatre, choice < 0.5, async () => {
    for (const { groupId } of streams.derived()) {
      const forget = () =>
        topics.admin.groups.delete(groupId).catch((error: unknown) => {
          if (!hasCode(error, 'kafka.group_not_empty', 'kafka.unavailable')) throw error
        })
      await pollUntil(forget, { deadlineMs: GROUP_EMPTY_MS, everyMs: 300, what: 'an empty group' })
    }
  })
}

export async function loseRecords(theatre: Theatre, fault: PlannedFault): Promise<void> {
  const { topics, streams } = theatre
  const { inputs } = streams
  const input = inputs[Math.floor(fault.choice * inputs.length)]
  if (input === undefined) return
  await withoutOutputs(theatre, false, async () => {
    const derived = streams.derivedFrom(input)
    await delay(fault.forMs)
    const positions = await Promise.all(derived.map((one) => positionsOf(theatre, one)))
    const ends = await topics.ends(input.topic)
    const before = ends.map((end, partition) => {
      const furthest = positions.map((of) => of[partition]?.latest ?? 0n)
      const from = furthest.reduce((a, b) => (a > b ? a : b), 0n)
      return end > from ? from + ((end - from) * 3n) / 5n : from
    })
    await topics.takeAway(input.topic, before)
    for (const [index, stream] of derived.entries())
      for (const [partition, to] of before.entries()) {
        const { earliest: from, latest } = positions[index]?.[partition] ?? nowhere
        if (latest < to) stream.gaps.push({ partition, from, to, countedAtLeast: to - latest })
      }
    await delay(SETTLE_MS)
  })
}

const nowhere = { earliest: 0n, latest: 0n }
type Position = { earliest: bigint; latest: bigint }

/**
 * Returns where a derived stream continues, by partition: after the last source in its two logs or at the noted
 * position, whichever is later. If the stream has not begun, only the range of its start is known.
 */
async function positionsOf(theatre: Theatre, stream: TestOutput): Promise<Position[]> {
  const noted = await theatre.strangers.positions(stream)
  return Promise.all(
    stream.start.map(async (start, partition) => {
      const ofThis = noted.find((one) => one.partition === partition && one.metadata !== '')
      const sources = await Promise.all(
        [stream.topic, `${stream.topic}.dead`].map((topic) =>
          lastSource(theatre, topic, partition),
        ),
      )
      const after = sources.map((source) => (source === undefined ? undefined : source + 1n))
      const known = [ofThis?.offset, ...after].reduce(later)
      return known === undefined ? start : { earliest: known, latest: known }
    }),
  )
}

async function lastSource(
  { topics }: Theatre,
  topic: string,
  partition: number,
): Promise<bigint | undefined> {
  const last = (await topics.readUncommitted(topic, partition)).findLast(isOurs)
  return last === undefined ? undefined : sourceOffsetOf(last)
}

const later = (a: bigint | undefined, b: bigint | undefined): bigint | undefined =>
  a === undefined || (b !== undefined && b > a) ? b : a

async function withoutOutputs(
  { fleet }: Theatre,
  isSudden: boolean,
  work: () => Promise<void>,
): Promise<void> {
  const running: Slot[] = slotsOf('output').filter((slot) => fleet.find(slot) !== undefined)
  await Promise.all(running.map((slot) => (isSudden ? fleet.kill(slot) : fleet.stop(slot))))
  try {
    await work()
  } finally {
    await Promise.all(running.map((slot) => fleet.start(slot)))
  }
}
