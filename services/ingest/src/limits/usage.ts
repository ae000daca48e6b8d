// Counts accepted events and refusals of each stream by minute for reports, and accepted events by month for the limit.
// Keeps the counts in memory, and creates the records that report them. Each record has a complete count, so writing a
// record again is harmless. Nothing is allocated per event.
import {
  countKey,
  countsTopic,
  minuteOf,
  monthCountValue,
  monthOf,
  msOfMinute,
  noUsage,
  usageKey,
  usagePartitionOf,
  usageTopic,
  usageValue,
} from '@weir/control-state'
import type { Usage } from '@weir/control-state'

export type UsageRecord = {
  readonly topic: string
  readonly partition: number
  readonly key: string
  readonly value: Buffer
  /** Call once. `takeChanged` returns a record again if it was not written. */
  readonly settle: (isWritten: boolean) => void
}

/** The functions that are called for each event. */
export type UsageCounters = {
  /** Returns how many events this replica has counted in the month of `nowMs`. */
  inMonth(streamId: string, nowMs: number): number
  /**
   * `events` is -1 for an event that was counted but not stored. `nowMs` must then be the time when the event was
   * counted.
   */
  count(streamId: string, nowMs: number, events: 1 | -1, bytes: number): void
  refused(streamId: string, nowMs: number, code: string): void
  monthAt(nowMs: number): string
}

/** The functions for the loop that writes the counts. */
export type UsageRecords = {
  /** Returns records with all changes since the last call. */
  takeChanged(nowMs: number): UsageRecord[]
  /** Drops a deleted stream, so that no more records of this stream are written. */
  forget(streamId: string): void
}

type Reported = { hasChanged: boolean; isOnItsWay: boolean }
type Minute = Reported & { readonly minute: number; readonly usage: Usage }
/** The counts of a stream in its current month and in its last minutes. */
type Own = Reported & {
  readonly streamId: string
  month: string
  events: number
  isListed: boolean
  /** Sorted by time. */
  minutes: Minute[]
}

/** Longer than an event may be in flight, because its count may be undone during this time. */
const minutesKept = 3

const unchanged: Readonly<Reported> = { hasChanged: false, isOnItsWay: false }

type State = {
  readonly replica: string
  readonly streams: Map<string, Own>
  readonly monthAt: (nowMs: number) => string
  changed: Own[]
}

export function createUsage(replica: string): UsageCounters & UsageRecords {
  const streams = new Map<string, Own>()
  const monthAt = createMonthClock()
  const state: State = { replica, streams, monthAt, changed: [] }
  return {
    monthAt,
    inMonth: (streamId, nowMs) => {
      const own = streams.get(streamId)
      return own?.month === monthAt(nowMs) ? own.events : 0
    },
    count(streamId, nowMs, events, bytes) {
      if (events < 0 && !streams.has(streamId)) return // the stream is deleted
      const own = ownOf(state, streamId, nowMs)
      const usage = usageAt(state, own, nowMs)
      usage.events += events
      usage.bytes += bytes
      if (own.month !== monthAt(nowMs)) return // the month is over
      own.events += events
      own.hasChanged = true
    },
    refused(streamId, nowMs, code) {
      const { refused } = usageAt(state, ownOf(state, streamId, nowMs), nowMs)
      refused[code] = (refused[code] ?? 0) + 1
    },
    takeChanged(nowMs) {
      const taken = state.changed
      state.changed = []
      return taken.flatMap((own) => {
        own.isListed = false
        return streams.get(own.streamId) === own ? recordsOf(state, own, nowMs) : []
      })
    },
    forget: (streamId) => void streams.delete(streamId),
  }
}

function ownOf({ streams, monthAt }: State, streamId: string, nowMs: number): Own {
  const month = monthAt(nowMs)
  let own = streams.get(streamId)
  if (own === undefined) {
    own = { streamId, month, events: 0, isListed: false, minutes: [], ...unchanged }
    streams.set(streamId, own)
  }
  if (own.month < month) {
    own.month = month
    own.events = 0
  }
  return own
}

function usageAt(state: State, own: Own, nowMs: number): Usage {
  const minute = minuteOf(nowMs)
  const last = own.minutes.at(-1)
  let found = last?.minute === minute ? last : own.minutes.find((one) => one.minute === minute)
  if (found === undefined) {
    found = { minute, usage: noUsage(), ...unchanged }
    own.minutes.push(found)
    own.minutes.sort((a, b) => a.minute - b.minute)
  }
  found.hasChanged = true
  list(state, own)
  return found.usage
}

function list({ changed }: State, own: Own): void {
  if (own.isListed) return
  own.isListed = true
  changed.push(own)
}

function recordsOf(state: State, own: Own, nowMs: number): UsageRecord[] {
  const { streamId, month, events } = own
  const partition = usagePartitionOf(streamId)
  const changed = own.minutes.filter(({ hasChanged }) => hasChanged)
  const records = changed.map((one): UsageRecord => {
    const key = usageKey(streamId, state.replica, one.minute)
    const value = usageValue(one.usage)
    const settle = settling(state, own, one)
    return { topic: usageTopic, partition, key, value, settle }
  })
  if (own.hasChanged) {
    const key = countKey(streamId, state.replica)
    const value = monthCountValue({ month, events })
    const settle = settling(state, own, own)
    records.push({ topic: countsTopic, partition: 0, key, value, settle })
  }
  dropOldMinutes(own, nowMs)
  return records
}

/** Marks the count's record as in flight until the returned function is called. */
function settling(state: State, own: Own, count: Reported): UsageRecord['settle'] {
  count.hasChanged = false
  count.isOnItsWay = true
  return (isWritten) => {
    count.isOnItsWay = false
    if (isWritten) return
    count.hasChanged = true
    list(state, own)
  }
}

function dropOldMinutes(own: Own, nowMs: number): void {
  const oldest = minuteOf(nowMs) - minutesKept
  if ((own.minutes[0]?.minute ?? Infinity) >= oldest) return
  own.minutes = own.minutes.filter(
    ({ minute, hasChanged, isOnItsWay }) => hasChanged || isOnItsWay || minute >= oldest,
  )
}

/** Finds the month of a time, and computes it only once per minute. */
function createMonthClock(): (nowMs: number) => string {
  let minute = NaN
  let month = ''
  return (nowMs) => {
    const now = minuteOf(nowMs)
    if (now !== minute) {
      minute = now
      month = monthOf(msOfMinute(now))
    }
    return month
  }
}
