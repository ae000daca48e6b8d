// The sent events and their outcomes: the only facts that the checks trust. An event is sent only once, so it is stored
// at most once, whatever the response.
import type { TortureEvent } from './events.ts'

/**
 * acknowledged: stored once. refused: never stored. unknown: without a conclusive response; stored at most once, at any
 * time until the end.
 */
export type SendOutcome = 'acknowledged' | 'refused' | 'unknown'

export type Sent = TortureEvent & {
  outcome: SendOutcome
  readonly sentMs: number
  /** When the outcome was known; Infinity before that. */
  answeredMs: number
}

export type Ledger = {
  /** Adds an event whose outcome is `unknown` until the caller sets it. */
  open(event: Omit<TortureEvent, 'number'>): Sent
  find(number: number): Sent | undefined
  all(): readonly Sent[]
  counts(): Readonly<Record<SendOutcome, number>>
}

export function createLedger(): Ledger {
  const events: Sent[] = []
  return {
    open(event) {
      const sent: Sent = {
        ...event,
        number: events.length,
        outcome: 'unknown',
        sentMs: Date.now(),
        answeredMs: Infinity,
      }
      events.push(sent)
      return sent
    },
    find: (number) => events[number],
    all: () => events,
    counts() {
      const counts = { acknowledged: 0, refused: 0, unknown: 0 }
      for (const { outcome } of events) counts[outcome] += 1
      return counts
    },
  }
}
