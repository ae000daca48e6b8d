// Erasures and withdrawals as their requester sees them: which of a person's events they certainly affect, and which
// perhaps. Times are by the broker's clock, because the services' clocks are shifted.
import type { TortureEvent } from './events.ts'
import type { Ledger, Sent } from './ledger.ts'

export type Forgetting = {
  readonly stream: string
  readonly person: string
  /** The withdrawn levels. Undefined: the whole person was erased. */
  readonly levels: readonly number[] | undefined
  /** When the erasure was first requested. */
  readonly askedMs: number
  /** The number of requests. auth may have executed a request whose response was lost. */
  attempts: number
  /** When auth's response 201 arrived. */
  acceptedMs: number | undefined
  erasureId: string | undefined
  /** From this time on, no event from before the request is decrypted. */
  appliedMs: number | undefined
}

/** What erasures and withdrawals require of an event, in a record that was written at a given time. */
export type Fate = {
  /** The event must not be in an output that requires one of these levels. */
  readonly gone: ReadonlySet<number>
  /** The event may be missing from an output that requires one of these levels. */
  readonly mayBeGone: ReadonlySet<number>
  /** Whether fields of this level stay encrypted. */
  closed(level: number): 'yes' | 'no' | 'either'
}

export type TorturePeople = {
  /** Returns a person with an acknowledged event; undefined if no event is acknowledged. */
  pick(choice: number): { readonly stream: string; readonly person: string } | undefined
  add(forgetting: Forgetting): void
  all(): readonly Forgetting[]
  /** Returns how many keys the person may have in one epoch. */
  keysMax(event: Pick<TortureEvent, 'stream' | 'person'>): number
  fateOf(event: Sent, writtenMs: number): Fate
}

/** The time after the acceptance in which replicas of ingest may still encrypt under the old keys. */
const heardWithinMs = 20_000

type Relation = 'before' | 'after' | 'unclear'

function relationOf(event: Sent, { askedMs, acceptedMs }: Forgetting): Relation {
  if (event.outcome === 'acknowledged' && event.answeredMs < askedMs) return 'before'
  if (acceptedMs !== undefined && event.sentMs > acceptedMs + heardWithinMs) return 'after'
  return 'unclear'
}

export function createPeople(ledger: Pick<Ledger, 'all'>): TorturePeople {
  const ofPerson = new Map<string, Forgetting[]>()
  const keyOf = ({ stream, person }: Pick<TortureEvent, 'stream' | 'person'>): string =>
    `${stream} ${person}`
  const of = (event: Pick<TortureEvent, 'stream' | 'person'>): Forgetting[] =>
    ofPerson.get(keyOf(event)) ?? []
  return {
    pick(choice) {
      const events = ledger.all()
      const from = Math.floor(choice * events.length)
      return [...events.slice(from), ...events.slice(0, from)].find(
        ({ outcome }) => outcome === 'acknowledged',
      )
    },
    add: (forgetting) => void ofPerson.set(keyOf(forgetting), [...of(forgetting), forgetting]),
    all: () => [...ofPerson.values()].flat(),
    keysMax: (event) => 1 + of(event).reduce((sum, { attempts }) => sum + attempts, 0),
    fateOf: (event, writtenMs) => fateBy(event, writtenMs, of(event)),
  }
}

function fateBy(event: Sent, writtenMs: number, all: readonly Forgetting[]): Fate {
  const concerned = all
    .map((one) => ({ ...one, relation: relationOf(event, one) }))
    .filter(({ relation }) => relation !== 'after')
    .map((one) => ({
      ...one,
      isSure: one.relation === 'before' && one.appliedMs !== undefined && writtenMs > one.appliedMs,
    }))
  const levelsOf = (isWanted: (one: (typeof concerned)[number]) => boolean): Set<number> =>
    new Set(concerned.filter(isWanted).flatMap(({ levels }) => levels ?? []))
  return {
    gone: levelsOf(({ isSure }) => isSure),
    mayBeGone: levelsOf(() => true),
    closed(level) {
      const about = concerned.filter(({ levels }) => levels?.includes(level) ?? true)
      if (about.some(({ isSure }) => isSure)) return 'yes'
      return about.length === 0 ? 'no' : 'either'
    },
  }
}
