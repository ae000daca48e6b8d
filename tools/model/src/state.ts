// The states of the model of deriving, and the mistakes that can be put into it.
import type { ModelBatch, Broker } from './broker.ts'
import type { ModelStep } from './explore.ts'

/** Mistakes that can be put into the model, to show that the search finds them. */
export const mistakes = [
  'nothing is fenced',
  'the last epoch may be of anyone',
  'no marker is read back',
  'the tail is read before the fence',
  'only the derived log is read',
  'only the noted position counts',
  'repeats get new sequence numbers',
  'a dead letter does not wait',
  'nothing waits for a dead letter',
  'applied while a decrypted record is in flight',
  'applied without a fence after a crash',
] as const
export type Mistake = (typeof mistakes)[number]

/** How often each thing may happen, so that the states are finite. */
export type Bounds = {
  /** Whether each input event passes or is dead-lettered. */
  readonly events: readonly ('passes' | 'dead')[]
  readonly acquisitions: number
  readonly crashes: number
  readonly lostAnswers: number
  /** Markers that the broker leaves out. */
  readonly leftOut: number
  readonly notes: number
  readonly erasures: 0 | 1
}

export type Flight = ModelBatch & { readonly isSent: boolean }

export type Owner = {
  readonly phase: 'idle' | 'marking' | 'renewing' | 'reading' | 'writing'
  readonly epoch: number
  /** The epoch of the owner's marker. */
  readonly marker: number
  /** The next input event, counted from 0. */
  readonly next: number
  readonly sequences: readonly [number, number]
  readonly inFlight: readonly Flight[]
  /** The number of the owner's connection. Messages of earlier connections may still arrive. */
  readonly connection: number
  /** Whether the owner has followed the erasure. */
  readonly hasHeard: boolean
}

export type SocketMessage = { readonly owner: 0 | 1; readonly connection: number } & (
  | { readonly batch: ModelBatch }
  | { readonly note: number }
)

export type ModelState = {
  readonly broker: Broker
  readonly owners: readonly [Owner, Owner]
  /** The messages in sockets, in order for each connection. */
  readonly sockets: readonly SocketMessage[]
  /** The noted position: the number of input events before it. */
  readonly noted: number
  readonly isErased: boolean
  readonly isApplied: boolean
  /** The epochs of owners that have crashed. */
  readonly crashed: readonly number[]
  readonly left: Omit<Bounds, 'events'>
  readonly wrong: string | undefined
}

export type Rules = { readonly events: Bounds['events']; is(mistake: Mistake): boolean }
export type At = 0 | 1

export const withOwner = (state: ModelState, at: At, change: Partial<Owner>): ModelState => {
  const [a, b] = state.owners
  return { ...state, owners: at === 0 ? [{ ...a, ...change }, b] : [a, { ...b, ...change }] }
}
export const spend = (state: ModelState, what: keyof ModelState['left']): ModelState => ({
  ...state,
  left: { ...state.left, [what]: state.left[what] - 1 },
})
export const step = (name: string, to: ModelState): ModelStep<ModelState> => ({ name, to })

export const both = [0, 1] as const

export const idle: Owner = {
  phase: 'idle',
  epoch: 0,
  marker: 0,
  next: 0,
  sequences: [0, 0],
  inFlight: [],
  connection: 0,
  hasHeard: false,
}

/** Returns the owner after a crash, or when it learns that it is fenced. Sent messages stay in the sockets. */
export const released = ({ connection, hasHeard }: Owner): Owner => ({
  ...idle,
  connection: connection + 1,
  hasHeard,
})
