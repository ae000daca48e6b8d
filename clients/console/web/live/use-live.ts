// The state of the live view: updated a few times per second, however many events arrive, and frozen while paused.
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Input } from '../api/account.ts'
import type { Session } from '../session.ts'
import { createLiveStore } from './live-store.ts'
import type { LiveEvent, LiveStore } from './live-store.ts'
import { matcherOf } from './filter.ts'
import type { Filter } from './filter.ts'
import { watchInput } from './watch.ts'
import type { WatchState } from './watch.ts'

export type LiveView = {
  /** Newest first. */
  readonly events: readonly LiveEvent[]
  readonly total: number
  readonly perSecond: number
  readonly states: ReadonlyMap<string, WatchState>
}

const lookEveryMs = 200
const rateOverMs = 2_000
const nothing: LiveView = { events: [], total: 0, perSecond: 0, states: new Map() }

export type Live = { readonly view: LiveView; readonly store: LiveStore; clear(): void }

export function useLive(
  session: Session,
  input: Input | undefined,
  { filter, isPaused }: { filter: Filter; isPaused: boolean },
): Live {
  const store = useMemo(() => createLiveStore(), [input])
  const [view, setView] = useState(nothing)
  const watch = useMemo(
    () => (input === undefined ? undefined : watchInput(session, input, store)),
    [session, input, store],
  )
  const clock = useMemo(createRate, [store])
  const look = (): void => {
    const total = store.total()
    const matches = matcherOf(filter)
    const events = store.newest().filter(matches)
    const states = new Map(watch?.states)
    setView({ events, total, perSecond: clock(performance.now(), total), states })
  }
  useEffect(() => () => watch?.close(), [watch])
  useEffect(look, [store, watch, filter])
  useEffect(() => {
    if (isPaused) return
    const timer = setInterval(() => !document.hidden && look(), lookEveryMs)
    return () => clearInterval(timer)
  }, [store, watch, filter, isPaused])
  const clear = (): void => {
    store.clear()
    look()
  }
  return { view, store, clear }
}

/** Computes events per second from a growing count. */
function createRate(): (nowMs: number, total: number) => number {
  let seen: { atMs: number; total: number }[] = []
  return (nowMs, total) => {
    seen = [...seen.filter(({ atMs }) => nowMs - atMs <= rateOverMs), { atMs: nowMs, total }]
    const first = seen[0]
    if (first === undefined || nowMs - first.atMs < lookEveryMs) return 0
    return ((total - first.total) * 1000) / (nowMs - first.atMs)
  }
}
