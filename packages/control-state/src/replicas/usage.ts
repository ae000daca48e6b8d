// Builds and parses the records of `weir.usage` (a stream's usage per replica of ingest and minute) and of
// `weir.counts` (a stream's events per replica in its latest month). No I/O.
//
// usage key = streamId "/" replica "/" minute       ; minutes since 1970
//           / streamId "/day/" yyyy-mm-dd           ; the sum of a day's minutes
// count key = streamId "/" replica
import { partitionOf } from '@weir/kafka'
import { createForm, parserOf, storedAs, untyped } from '../forms/form.ts'
import { number, objectOf, tableOf, text } from '../forms/guards.ts'

export const usageTopic = 'weir.usage'
export const countsTopic = 'weir.counts'

/** One partition has all usage of a stream, so its reader reads only about an eighth of all records. */
export const usagePartitions = 8
export const usagePartitionOf = (streamId: string): number => partitionOf(streamId, usagePartitions)

/** `events` counts each stored event once. `bytes` is the size of all bodies, decompressed. */
export type Usage = {
  events: number
  bytes: number
  /** The number of refused requests by error code. */
  readonly refused: Record<string, number>
}

export type UsageKey = { readonly streamId: string } & (
  | { readonly replica: string; readonly minute: number }
  | { readonly day: string }
)

/** The number of events that one replica counted in the latest month in which it stored any. */
export type MonthCount = { readonly month: string; readonly events: number }

const minuteMs = 60_000
export const minuteOf = (ms: number): number => Math.floor(ms / minuteMs)
export const msOfMinute = (minute: number): number => minute * minuteMs
/** `yyyy-mm-dd`, UTC. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)
/** `yyyy-mm`, UTC. */
export const monthOf = (ms: number): string => new Date(ms).toISOString().slice(0, 7)

export const usageKey = (streamId: string, replica: string, minute: number): string =>
  `${streamId}/${replica}/${minute}`
export const dayKey = (streamId: string, day: string): string => `${streamId}/day/${day}`
export const countKey = (streamId: string, replica: string): string => `${streamId}/${replica}`

export function parseUsageKey(key: string): UsageKey | undefined {
  const [streamId, owner, time, ...rest] = key.split('/')
  if (!streamId || !owner || time === undefined || rest.length > 0) return undefined
  if (owner === 'day') return /^\d{4}-\d\d-\d\d$/.test(time) ? { streamId, day: time } : undefined
  return /^\d{1,12}$/.test(time) ? { streamId, replica: owner, minute: Number(time) } : undefined
}

export function parseCountKey(key: string): { streamId: string; replica: string } | undefined {
  const [streamId, replica, ...rest] = key.split('/')
  return streamId && replica && rest.length === 0 ? { streamId, replica } : undefined
}

export const noUsage = (): Usage => ({ events: 0, bytes: 0, refused: {} })

export function addUsage(to: Usage, more: Usage): void {
  to.events += more.events
  to.bytes += more.bytes
  for (const [code, count] of Object.entries(more.refused))
    to.refused[code] = (to.refused[code] ?? 0) + count
}

const usageForm = createForm(
  'usage',
  untyped(objectOf<Usage>({ events: number, bytes: number, refused: tableOf(number) })),
)
export const usageValue = (usage: Usage): Buffer => storedAs(usageForm, usage)
export const parseUsage = parserOf(usageTopic, [usageForm])

const monthCountForm = createForm(
  'month-count',
  untyped(objectOf<MonthCount>({ month: text, events: number })),
)
export const monthCountValue = (count: MonthCount): Buffer => storedAs(monthCountForm, count)
export const parseMonthCount = parserOf(countsTopic, [monthCountForm])
