// How an owner writes. It has at most two records in flight, and sends a dead letter alone. After an unknown outcome it
// sends the same bytes again.
import type { ModelBatch } from './broker.ts'
import type { ModelStep } from './explore.ts'
import { spend, step, withOwner } from './state.ts'
import type { At, Owner, Rules, ModelState } from './state.ts'

const inFlightMax = 2

export function writeSteps(rules: Rules, state: ModelState, at: At): ModelStep<ModelState>[] {
  const owner = state.owners[at]
  if (owner.phase !== 'writing') return []
  const steps: ModelStep<ModelState>[] = []
  const unsent = owner.inFlight.findIndex(({ isSent }) => !isSent)
  if (unsent >= 0) return [step(`${at} sends again`, sendAgain(rules, state, at, unsent))]
  const event = rules.events[owner.next]
  if (event !== undefined && mayDerive(rules, owner, event))
    steps.push(step(`${at} sends event ${owner.next}`, derive(state, at, event === 'dead' ? 1 : 0)))
  if (state.left.notes > 0 && owner.inFlight.length === 0 && owner.next > 0) {
    const message = { owner: at, connection: owner.connection, note: owner.next }
    steps.push(
      step(
        `${at} notes ${owner.next}`,
        spend({ ...state, sockets: [...state.sockets, message] }, 'notes'),
      ),
    )
  }
  return steps
}

/** A dead letter is sent when all earlier records are stored. Later records wait until it is stored. */
function mayDerive(rules: Rules, { inFlight }: Owner, event: 'passes' | 'dead'): boolean {
  if (inFlight.length >= inFlightMax) return false
  if (event === 'dead' && inFlight.length > 0 && !rules.is('a dead letter does not wait'))
    return false
  return rules.is('nothing waits for a dead letter') || !inFlight.some(({ log }) => log === 1)
}

function derive(state: ModelState, at: At, log: 0 | 1): ModelState {
  const owner = state.owners[at]
  const { epoch, next, sequences, inFlight, connection } = owner
  const isOpen = log === 0 && !(state.isErased && owner.hasHeard)
  const batch: ModelBatch = { log, epoch, sequence: sequences[log], source: next, isOpen }
  const moved = withOwner(state, at, {
    next: next + 1,
    sequences: log === 0 ? [sequences[0] + 1, sequences[1]] : [sequences[0], sequences[1] + 1],
    inFlight: [...inFlight, { ...batch, isSent: true }],
  })
  return { ...moved, sockets: [...state.sockets, { owner: at, connection, batch }] }
}

/** Sends a record in flight again, with the same bytes. */
function sendAgain(rules: Rules, state: ModelState, at: At, index: number): ModelState {
  const { inFlight, connection, sequences } = state.owners[at]
  const flight = inFlight[index]
  if (flight === undefined) return state
  const { isSent: _, ...former } = flight
  const isNew = rules.is('repeats get new sequence numbers')
  const batch = isNew ? { ...former, sequence: sequences[former.log] } : former
  const one = sequences[former.log] + (isNew ? 1 : 0)
  const moved = withOwner(state, at, {
    sequences: former.log === 0 ? [one, sequences[1]] : [sequences[0], one],
    inFlight: inFlight.with(index, { ...batch, isSent: true }),
  })
  return { ...moved, sockets: [...state.sockets, { owner: at, connection, batch }] }
}
