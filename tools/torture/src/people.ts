// People who were erased, or took a level back, as the one who asked knows it: what that means for each of their events, where it is sure,
// and where it may be either way. Times are the broker's: services live by a shifted clock.
import type { Event } from './events.ts'
import type { Ledger, Sent } from './ledger.ts'

export type Forgetting = {
  readonly stream: string
  readonly person: string
  /** Those that were withdrawn; undefined: all of the person was erased. */
  readonly levels: readonly number[] | undefined
  /** When it was asked for the first time. */
  readonly askedMs: number
  /** How often it was asked for: auth may have done it and its answer been lost. */
  attempts: number
  /** When it was known to be accepted. */
  acceptedMs: number | undefined
  erasureId: string | undefined
  /** From then on nothing old is decrypted any more. */
  appliedMs: number | undefined
}

/** What has to be true of an event in a record that was written at some time. */
export type Fate = {
  /** It must not be in an output that asks for one of these levels. */
  readonly gone: ReadonlySet<number>
  /** It need not be in an output that asks for one of these levels. */
  readonly mayBeGone: ReadonlySet<number>
  /** Whether fields of a level are encrypted for good. */
  closed(level: number): 'yes' | 'no' | 'either'
}

export type People = {
  /** Somebody who has sent an event that was acknowledged; undefined while there is nobody. */
  pick(choice: number): { readonly stream: string; readonly person: string } | undefined
  add(forgetting: Forgetting): void
  all(): readonly Forgetting[]
  /** How many keys a person may have in one epoch. */
  keysMax(event: Pick<Event, 'stream' | 'person'>): number
  fateOf(event: Sent, writtenMs: number): Fate
}

/** After this time no replica of ingest encrypts under the old keys. */
const heardWithinMs = 20_000

type Relation = 'before' | 'after' | 'unclear'

function relationOf(event: Sent, { askedMs, acceptedMs }: Forgetting): Relation {
  if (event.outcome === 'acknowledged' && event.answeredMs < askedMs) return 'before'
  if (acceptedMs !== undefined && event.sentMs > acceptedMs + heardWithinMs) return 'after'
  return 'unclear'
}

export function createPeople(ledger: Pick<Ledger, 'all'>): People {
  const ofPerson = new Map<string, Forgetting[]>()
  const keyOf = ({ stream, person }: Pick<Event, 'stream' | 'person'>): string =>
    `${stream} ${person}`
  const of = (event: Pick<Event, 'stream' | 'person'>): Forgetting[] =>
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
