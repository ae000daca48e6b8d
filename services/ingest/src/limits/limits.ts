// The limits of an input stream (spec Limits; docs/wire-format.md Limits): `eventRate` events per second with a burst
// of one second, and `eventCount` stored events per calendar month, UTC. Both limits apply to all replicas together, by
// this replica's counters and the latest reports of the other replicas. All data is in memory, so no event waits.
import type { InputStream } from '@weir/control-state'
import { refusal } from '../errors.ts'
import type { MonthCounts } from './month-counts.ts'
import type { Rates } from './rates.ts'
import type { UsageCounters } from './usage.ts'

export type StreamLimits = {
  /**
   * Admits one event of the stream.
   * @throws AppError `event_count_used_up`, `event_rate_exceeded`
   */
  admit(stream: InputStream, nowMs: number): void
  /**
   * Counts one event of `bytes` as stored.
   * @throws AppError `event_count_used_up`
   */
  reserve(stream: InputStream, nowMs: number, bytes: number): void
  /** Undoes `reserve` if the event was not stored. Call with the same time and bytes. */
  release(stream: InputStream, nowMs: number, bytes: number): void
  /** Counts a refusal for the usage report. */
  refused(stream: InputStream, nowMs: number, code: string): void
}

export function createLimits({
  rates,
  usage,
  counts,
}: {
  rates: Pick<Rates, 'take'>
  usage: UsageCounters
  counts: Pick<MonthCounts, 'elsewhere'>
}): StreamLimits {
  const requireCount = (stream: InputStream, nowMs: number): void => {
    const { streamId } = stream
    const { eventCount } = numbersOf(stream)
    const elsewhere = counts.elsewhere(streamId, usage.monthAt(nowMs))
    if (usage.inMonth(streamId, nowMs) + elsewhere >= eventCount)
      throw refusal(
        'event_count_used_up',
        `The stream has used up its ${stream.limits.eventCount} events of this month`,
      )
  }

  return {
    admit(stream, nowMs) {
      requireCount(stream, nowMs)
      const { eventRate: rate } = numbersOf(stream)
      if (!rates.take(stream.streamId, rate, nowMs))
        throw refusal('event_rate_exceeded', `The stream accepts ${rate} events a second at most`)
    },
    reserve(stream, nowMs, bytes) {
      requireCount(stream, nowMs)
      usage.count(stream.streamId, nowMs, 1, bytes)
    },
    release: ({ streamId }, nowMs, bytes) => usage.count(streamId, nowMs, -1, -bytes),
    refused: ({ streamId }, nowMs, code) => usage.refused(streamId, nowMs, code),
  }
}

type Numbers = { readonly eventCount: number; readonly eventRate: number }

const numbers = new WeakMap<InputStream, Numbers>()

/** Parses the stream's limits once. */
function numbersOf(stream: InputStream): Numbers {
  const known = numbers.get(stream)
  if (known !== undefined) return known
  const { eventCount, eventRate } = stream.limits
  const parsed = { eventCount: Number(eventCount), eventRate: Number(eventRate) }
  numbers.set(stream, parsed)
  return parsed
}
