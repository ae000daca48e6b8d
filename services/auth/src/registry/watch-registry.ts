// Watches the schema registry (docs/architecture.md 12). Only creating a contract needs the registry. While the
// registry doesn't respond, or has other ids than the contracts, auth refuses to create contracts, and /health/ready
// shows a warning. Tokens, events, readers and readiness never depend on the registry.
import type { Registry } from '@weir/schema-registry'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import type { ContractRecord } from '@weir/control-state'
import { refusal } from '../errors.ts'
import type { Reconciler } from '../control/reconcile-loop.ts'
import { checkRegistry } from './check-registry.ts'

export type RegistryWatch = {
  /** The registry for creating contracts. Refuses with `unavailable` while it must not be used. */
  readonly registry: Pick<Registry, 'register' | 'bySubject'>
  /** Returns warnings; an empty list if nothing is wrong. */
  warnings(): readonly string[]
  readonly reconciler: Reconciler
}

type State = 'unasked' | 'same' | 'away' | 'different'

const everyMs = 15_000
const allEveryMs = 3_600_000
/** The newest ids are enough to detect a replaced or reset registry. All ids are checked every hour. */
const newestMax = 8

const warningOf: Partial<Record<State, string>> = {
  away: 'the schema registry does not answer; contracts cannot be created until it does; nothing else needs it',
  different:
    'the schema registry has other ids than the contracts, so contracts cannot be created until it is restored; nothing else needs it; see the log',
}

const refusalOf = {
  away: 'The schema registry does not respond, and creating a contract needs it; try again later. Tokens, events and readers do not depend on it',
  different:
    'The schema registry has other ids than the contracts, so no contract can be created until the operators of Weir have restored it. Tokens, events and readers do not depend on it',
}

type WatchDeps = {
  readonly registry: Registry
  readonly contracts: () => Iterable<ContractRecord>
  readonly log: Log
  readonly now: () => number
}

export function watchRegistry(deps: WatchDeps): RegistryWatch {
  const { registry } = deps
  const { look, state } = createLook(deps)

  const demandSame = async (): Promise<void> => {
    const seen = await look()
    if (seen === 'away' || seen === 'different') throw refusal('unavailable', refusalOf[seen])
  }

  return {
    registry: {
      register: (subject, schemaText) =>
        demandSame().then(() => registry.register(subject, schemaText)),
      bySubject: (subject, version) =>
        demandSame().then(() => registry.bySubject(subject, version)),
    },
    warnings: () => [warningOf[state()]].filter((warning) => warning !== undefined),
    reconciler: { name: 'registry', run: () => look().then(() => everyMs) },
  }
}

/** Checks whether the registry responds and has the contracts' ids, and logs each change. */
function createLook({ registry, contracts, log, now }: WatchDeps) {
  let state: State = 'unasked'
  let allCheckedAtMs = -Infinity

  const become = (next: State, more: object = {}): void => {
    const isNews = next !== state
    state = next
    if (!isNews) return
    const warning = warningOf[next]
    if (warning === undefined) log.info('the schema registry has the contracts under their ids')
    else log.warn(more, warning)
  }

  const check = async (some: readonly ContractRecord[]): Promise<State> => {
    try {
      const [problem, ...others] = await checkRegistry({ registry, log }, some)
      if (problem === undefined) return 'same'
      become('different', { problem, others: others.length })
    } catch (err) {
      if (!hasCode(err, 'registry.unavailable')) throw err
      become('away', { err })
    }
    return state
  }

  const look = async (): Promise<State> => {
    if (state === 'same' && now() - allCheckedAtMs < allEveryMs) {
      await check(newestOf(contracts()))
      return state
    }
    allCheckedAtMs = now()
    if ((await check([...contracts()])) === 'same') become('same')
    return state
  }
  return { look, state: () => state }
}

const newestOf = (contracts: Iterable<ContractRecord>): readonly ContractRecord[] =>
  [...contracts].sort((a, b) => b.createdAtMs - a.createdAtMs).slice(0, newestMax)
