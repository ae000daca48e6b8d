// How two replicas of output derive one input partition exactly once (docs/architecture.md, decisions 3 and 4), and
// when an erasure is applied. Replicas acquire the partition, find the position, append records, and repeat records
// after an unknown outcome. They may crash at any moment. Messages in their sockets then arrive later or never.
import { acquireSteps } from './acquiring.ts'
import { arrivals, mishaps } from './arrivals.ts'
import { emptyBroker } from './broker.ts'
import type { Model, ModelStep } from './explore.ts'
import { both, idle, spend, step, withOwner } from './state.ts'
import type { Bounds, Mistake, Rules, ModelState } from './state.ts'
import { writeSteps } from './writing.ts'

export function derivingModel({ events, ...left }: Bounds, mistake?: Mistake): Model<ModelState> {
  const rules: Rules = { events, is: (one) => one === mistake }
  const start: ModelState = {
    broker: emptyBroker,
    owners: [idle, idle],
    sockets: [],
    noted: 0,
    isErased: false,
    isApplied: false,
    crashed: [],
    left,
    wrong: undefined,
  }
  return {
    start,
    wrong: (state) => state.wrong ?? incomplete(rules, state),
    steps: (state) => [
      ...both.flatMap((at) => [
        ...acquireSteps(rules, state, at),
        ...writeSteps(rules, state, at),
        ...mishaps(state, at),
      ]),
      ...arrivals(rules, state),
      ...erasureSteps(rules, state),
    ],
  }
}

function erasureSteps(rules: Rules, state: ModelState): ModelStep<ModelState>[] {
  const steps: ModelStep<ModelState>[] = []
  if (state.left.erasures > 0)
    steps.push(step('a person is erased', spend({ ...state, isErased: true }, 'erasures')))
  for (const at of both)
    if (state.isErased && !state.owners[at].hasHeard)
      steps.push(step(`${at} follows the erasure`, withOwner(state, at, { hasHeard: true })))
  if (!state.isApplied && mayApply(rules, state))
    steps.push(step('the erasure is applied', { ...state, isApplied: true }))
  return steps
}

/**
 * Returns true if all replicas have followed the erasure, no value decrypted before the erasure is in flight, and
 * crashed owners are fenced.
 */
function mayApply(rules: Rules, { isErased, owners, crashed, broker }: ModelState): boolean {
  if (!isErased || !owners.every(({ hasHeard }) => hasHeard)) return false
  const isInFlight = owners.some(({ inFlight }) => inFlight.some(({ isOpen }) => isOpen))
  if (isInFlight && !rules.is('applied while a decrypted record is in flight')) return false
  const isFenced = crashed.every((epoch) => broker.logs[0].epoch > epoch)
  return isFenced || rules.is('applied without a fence after a crash')
}

/** Returns what is wrong if an owner has derived everything and waits for nothing, but events are missing. */
function incomplete({ events }: Rules, { owners, broker }: ModelState): string | undefined {
  const isDone = owners.some(
    ({ phase, next, inFlight }) =>
      phase === 'writing' && next >= events.length && inFlight.length === 0,
  )
  if (!isDone) return undefined
  const stored = broker.logs
    .flatMap(({ entries }) => entries)
    .filter((entry) => 'source' in entry).length
  return stored === events.length
    ? undefined
    : `only ${stored} of ${events.length} events are derived`
}
