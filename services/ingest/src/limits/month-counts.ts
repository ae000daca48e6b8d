// Keeps the content of `weir.counts`: how many events other replicas, including ended ones, have stored in each stream
// this month. A report contains the replica's whole count, so reading it twice is harmless.
import { parseCountKey, parseMonthCount } from '@weir/control-state'

export type MonthCounts = {
  apply(record: { readonly key: string; readonly value: Buffer | null }): void
  clear(): void
  /** Returns the number of events of the other replicas in the month `yyyy-mm`. */
  elsewhere(streamId: string, month: string): number
}

type Counted = { month: string; total: number; readonly byReplica: Map<string, number> }

export function createMonthCounts(ownReplica: string): MonthCounts {
  const streams = new Map<string, Counted>()

  const set = (
    streamId: string,
    replica: string,
    count: { month: string; events: number },
  ): void => {
    let counted = streams.get(streamId)
    if (counted === undefined || counted.month < count.month) {
      counted = { month: count.month, total: 0, byReplica: new Map() }
      streams.set(streamId, counted)
    }
    if (counted.month > count.month) return
    counted.total += count.events - (counted.byReplica.get(replica) ?? 0)
    counted.byReplica.set(replica, count.events)
  }

  const remove = (streamId: string, replica: string): void => {
    const counted = streams.get(streamId)
    if (counted === undefined) return
    counted.total -= counted.byReplica.get(replica) ?? 0
    counted.byReplica.delete(replica)
    if (counted.byReplica.size === 0) streams.delete(streamId)
  }

  return {
    apply({ key, value }) {
      const parsed = parseCountKey(key)
      if (parsed === undefined || parsed.replica === ownReplica) return
      if (value === null) remove(parsed.streamId, parsed.replica)
      else set(parsed.streamId, parsed.replica, parseMonthCount(key, value))
    },
    clear: () => streams.clear(),
    elsewhere(streamId, month) {
      const counted = streams.get(streamId)
      return counted?.month === month ? counted.total : 0
    },
  }
}
