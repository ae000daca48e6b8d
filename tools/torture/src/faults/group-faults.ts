// What Kafka does while no replica of output runs: it forgets how far the groups were, or retention removes
// events that nobody has derived yet.
import { delay, hasCode, pollUntil } from '@weir/kit'
import { readSource } from '@weir/kafka'

import type { DerivedStream } from '../streams.ts'
import { slotsOf } from '../world/slots.ts'
import type { Slot } from '../world/slots.ts'
import type { PlannedFault } from './plan.ts'
import type { Theatre } from './theatre.ts'

const GROUP_EMPTY_MS = 45_000
const SETTLE_MS = 1_000
const SETTLED_WITHIN_MS = 20_000

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
    await Promise.all(derived.map((one) => untilSettled(theatre, one)))
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

/** A transaction that was told to commit may wait for its markers when a broker has just come back. */
async function untilSettled({ topics }: Theatre, { topic }: DerivedStream): Promise<void> {
  const isSettled = async () => {
    const committed = await topics.ends(topic)
    const all = await topics.admin.offsets.ends(topic, { isolation: 'read_uncommitted' })
    return all.every((end, partition) => end === committed[partition])
  }
  await pollUntil(isSettled, {
    deadlineMs: SETTLED_WITHIN_MS,
    what: `${topic} without an open end`,
  })
}

const nowhere = { earliest: 0n, latest: 0n }
type Position = { earliest: bigint; latest: bigint }

/**
 * Where a derived stream goes on, by partition; where it never began, not known more exactly than its start. A group's
 * offset may be missing for records that are there: Kafka forgets them, also by this rig's doing.
 */
async function positionsOf({ topics }: Theatre, stream: DerivedStream): Promise<Position[]> {
  const committed = await topics.admin.groups.committedOffsets(stream.groupId, stream.input.topic)
  return Promise.all(
    stream.start.map(async (start, partition) => {
      const [last] = (await topics.read(stream.topic, partition)).slice(-1)
      const source = last === undefined ? undefined : readSource(last)?.offset
      const afterSource = source === undefined ? undefined : source + 1n
      const known = later(committed[partition], afterSource)
      return known === undefined ? start : { earliest: known, latest: known }
    }),
  )
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
