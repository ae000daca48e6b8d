// Selects the event to show while the user has not chosen one. It stays for at least a second. Recent events that every
// stream has handled are preferred.
import { useRef } from 'preact/hooks'
import type { Input } from '../api/account.ts'
import { isSettled } from './event-table.ts'
import type { LiveEvent } from './live-store.ts'

const heldMs = 1_000
const recentMs = 2_000

export function useFollowed(events: readonly LiveEvent[], input: Input): LiveEvent | undefined {
  const shown = useRef<{ event: LiveEvent; atMs: number } | undefined>(undefined)
  const now = performance.now()
  const held = shown.current
  if (held !== undefined && now - held.atMs < heldMs && events.includes(held.event))
    return held.event
  const event = telling(events, input) ?? events[0]
  shown.current = event === undefined ? undefined : { event, atMs: now }
  return event
}

const telling = (events: readonly LiveEvent[], input: Input): LiveEvent | undefined => {
  const newestMs = events[0]?.atMs ?? 0
  return events.find(
    (one) => newestMs - one.atMs < recentMs && one.opened.size > 0 && isSettled(one, input.outputs),
  )
}
