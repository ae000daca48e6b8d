// What this replica accepts of each stream: by minute, for reports, and by month, for the limit. Counters in memory,
// and the records that report them. Each record holds a whole count, so writing one again is harmless. Nothing is
// allocated per event.
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
  /** Call it once. A record that was not written is returned again. */
  readonly settle: (isWritten: boolean) => void
}

/** Called for each event. */
export type UsageCounters = {
  /** Events that this replica has counted in that time's month. */
  inMonth(streamId: string, nowMs: number): number
  /** `events` is negative for events that were not stored after all, with the same `nowMs`. */
  count(streamId: string, nowMs: number, events: 1 | -1, bytes: number): void
  refused(streamId: string, nowMs: number, code: string): void
  monthAt(nowMs: number): string
}

/** For the loop that writes the counts. */
export type UsageRecords = {
  /** The records of all changes since the last call. */
  takeChanged(nowMs: number): UsageRecord[]
  /** The stream is deleted: nothing more of it is written. */
  forget(streamId: string): void
}

type Minute = {
  readonly minute: number
  readonly usage: Usage
  hasChanged: boolean
  isOnItsWay: boolean
}
type Own = {
  readonly streamId: string
  month: string
  events: number
  hasCountChanged: boolean
  isListed: boolean
  /** In order of time. */
  minutes: Minute[]
}

/** Longer than an event may be on its way: until then its count may be undone. */
const minutesKept = 3

export function createUsage(replica: string): UsageCounters & UsageRecords {
  const streams = new Map<string, Own>()
  let changed: Own[] = []
  const monthAt = createMonthClock()

  const list = (own: Own): void => {
    if (own.isListed) return
    own.isListed = true
    changed.push(own)
  }

  const ownOf = (streamId: string, nowMs: number): Own => {
    const month = monthAt(nowMs)
    let own = streams.get(streamId)
    if (own === undefined) {
      own = { streamId, month, events: 0, hasCountChanged: false, isListed: false, minutes: [] }
      streams.set(streamId, own)
    }
    if (own.month < month) {
      own.month = month
      own.events = 0
    }
    return own
  }

  const usageAt = (own: Own, nowMs: number): Usage => {
    const minute = minuteOf(nowMs)
    const last = own.minutes.at(-1)
    let found = last?.minute === minute ? last : own.minutes.find((one) => one.minute === minute)
    if (found === undefined) {
      found = { minute, usage: noUsage(), hasChanged: false, isOnItsWay: false }
      own.minutes.push(found)
      own.minutes.sort((a, b) => a.minute - b.minute)
    }
    found.hasChanged = true
    list(own)
    return found.usage
  }

  const recordsOf = (own: Own, nowMs: number): UsageRecord[] => {
    const { streamId } = own
    const partition = usagePartitionOf(streamId)
    const records: UsageRecord[] = []
    for (const one of own.minutes.filter(({ hasChanged }) => hasChanged)) {
      one.hasChanged = false
      one.isOnItsWay = true
      const settle = (isWritten: boolean): void => {
        one.isOnItsWay = false
        if (isWritten) return
        one.hasChanged = true
        list(own)
      }
      const key = usageKey(streamId, replica, one.minute)
      records.push({ topic: usageTopic, partition, key, value: usageValue(one.usage), settle })
    }
    if (own.hasCountChanged) {
      own.hasCountChanged = false
      const settle = (isWritten: boolean): void => {
        if (isWritten) return
        own.hasCountChanged = true
        list(own)
      }
      const value = monthCountValue({ month: own.month, events: own.events })
      const key = countKey(streamId, replica)
      records.push({ topic: countsTopic, partition: 0, key, value, settle })
    }
    dropOldMinutes(own, nowMs)
    return records
  }

  return {
    monthAt,
    inMonth: (streamId, nowMs) => {
      const own = streams.get(streamId)
      return own?.month === monthAt(nowMs) ? own.events : 0
    },
    count(streamId, nowMs, events, bytes) {
      if (events < 0 && !streams.has(streamId)) return // the stream is deleted
      const own = ownOf(streamId, nowMs)
      const usage = usageAt(own, nowMs)
      usage.events += events
      usage.bytes += bytes
      if (own.month !== monthAt(nowMs)) return // the month is over
      own.events += events
      own.hasCountChanged = true
    },
    refused(streamId, nowMs, code) {
      const { refused } = usageAt(ownOf(streamId, nowMs), nowMs)
      refused[code] = (refused[code] ?? 0) + 1
    },
    takeChanged(nowMs) {
      const taken = changed
      changed = []
      return taken.flatMap((own) => {
        own.isListed = false
        return streams.get(own.streamId) === own ? recordsOf(own, nowMs) : []
      })
    },
    forget: (streamId) => void streams.delete(streamId),
  }
}

function dropOldMinutes(own: Own, nowMs: number): void {
  const oldest = minuteOf(nowMs) - minutesKept
  if ((own.minutes[0]?.minute ?? Infinity) >= oldest) return
  own.minutes = own.minutes.filter(
    ({ minute, hasChanged, isOnItsWay }) => hasChanged || isOnItsWay || minute >= oldest,
  )
}

/** The month of a time, computed once per minute. */
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
