// Waits until a new output contains the events that were stored before its creation. The output service derives these
// events.
import { setTimeout as delay } from 'node:timers/promises'
import { CliError, failure } from '../../errors.ts'
import { isObject, listAt, valueAt } from '../../json.ts'
import { createProgressLine } from '../../terminal/progress.ts'
import type { Session } from '../../session.ts'
import { outputPathOf } from './parts.ts'

const lookEveryMs = 500
/** The output service may not know a new output yet. */
const knownWithinMs = 60_000

export type BackfillPartition = {
  readonly partition: number
  readonly next: number
  readonly end: number
}

/**
 * Waits until everything before the input's current ends is derived, because under load there are always further
 * events.
 */
export async function waitForBackfill(
  session: Session,
  input: string,
  name: string,
  /** The number of the rebuild to wait for, or 0. */
  rebuild = 0,
): Promise<void> {
  const progress = createProgressLine(session.terminal, `deriving ${name}`)
  try {
    const first = await firstPositions(session, { input, name, rebuild })
    for (let now = first; ; now = (await positionsOf(session, input, name)).partitions) {
      const { done, total } = backfilled(first, now)
      progress.show(done, total)
      if (done >= total) return
      await delay(lookEveryMs)
    }
  } finally {
    progress.end()
  }
}

/** Returns how many of the offsets that existed at first are derived. Pure. */
export function backfilled(
  first: readonly BackfillPartition[],
  now: readonly BackfillPartition[],
): { done: number; total: number } {
  const nextOf = new Map(now.map(({ partition, next }) => [partition, next]))
  const spans = first.map(({ partition, next, end }) => {
    const reached = Math.min(end, nextOf.get(partition) ?? next)
    return { done: Math.max(0, reached - next), total: Math.max(0, end - next) }
  })
  return {
    done: spans.reduce((sum, { done }) => sum + done, 0),
    total: spans.reduce((sum, { total }) => sum + total, 0),
  }
}

async function firstPositions(
  session: Session,
  { input, name, rebuild }: { input: string; name: string; rebuild: number },
): Promise<readonly BackfillPartition[]> {
  const deadlineMs = performance.now() + knownWithinMs
  for (;;) {
    try {
      const known = await positionsOf(session, input, name)
      if (known.rebuild >= rebuild) return known.partitions
      if (performance.now() > deadlineMs) throw failure(`the rebuild of ${name} takes too long`)
    } catch (error) {
      const isEarly = error instanceof CliError && (error.status === 404 || error.status === 503)
      if (!isEarly || performance.now() > deadlineMs) throw error
    }
    await delay(lookEveryMs)
  }
}

async function positionsOf(
  session: Session,
  input: string,
  name: string,
): Promise<{ rebuild: number; partitions: readonly BackfillPartition[] }> {
  const path = [...outputPathOf(input, name), 'lag']
  const answer = await session.manage({ method: 'GET', service: 'output', path })
  const partitions = listAt(answer, 'partitions').filter(isObject)
  if (partitions.length === 0) throw failure(`the service does not report the lag of ${name}`)
  return {
    rebuild: Number(valueAt(answer, 'rebuild') ?? 0),
    partitions: partitions.map(({ partition, next, end }) => ({
      partition: Number(partition),
      next: Number(next),
      end: Number(end),
    })),
  }
}
