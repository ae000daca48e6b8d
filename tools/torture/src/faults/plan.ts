// Plans faults and their times from a seed. A storm has several faults, which may overlap. Between storms there are no
// faults. Storms are printed as plain data, so that a run can be repeated.
import { shuffle } from '../random.ts'
import type { Random } from '../random.ts'
import { slots } from '../world/slots.ts'
import type { Slot } from '../world/slots.ts'

export const faultKinds = [
  'kill',
  'pause',
  'restart',
  'one-more',
  'cut',
  'refuse',
  'delay',
  'hole',
  'mute',
  'late-write',
  'response-lost',
  'response-error',
  'broker-kill',
  'broker-pause',
  'broker-restart',
  'leader-lost',
  'disable',
  'rotate',
  'remake',
  'offsets-lost',
  'retention',
  'late-commit',
  'open-transaction',
  'stranger',
  'corrupt',
  'erase',
  'withdraw',
  'rebuild',
  'restore',
] as const
export type FaultKind = (typeof faultKinds)[number]

const ofNetwork = [
  'cut',
  'refuse',
  'delay',
  'hole',
  'mute',
  'late-write',
  'response-lost',
  'response-error',
] as const
type OfNetwork = (typeof ofNetwork)[number]
const isOfNetwork = (kind: FaultKind): kind is OfNetwork => ofNetwork.some((one) => one === kind)
const ofOneBroker: readonly FaultKind[] = [...ofNetwork, 'retention']

export const faultKindsOf = (brokers: 1 | 3): FaultKind[] =>
  faultKinds.filter((kind) =>
    brokers === 1 ? kind !== 'leader-lost' : !ofOneBroker.includes(kind),
  )

export type PlannedFault = {
  readonly kind: FaultKind
  /** The time after the start of the storm. */
  readonly atMs: number
  readonly forMs: number
  /** The affected replicas. Empty if the fault affects something else. */
  readonly on: readonly Slot[]
  /** A number from 0 to 1 for all other choices of the fault. */
  readonly choice: number
}
export type Storm = { readonly number: number; readonly faults: readonly PlannedFault[] }

type Sort = {
  readonly weight: number
  readonly forMs: readonly [least: number, most: number]
  on(random: Random): readonly Slot[]
}

const started: readonly Slot[] = slots.filter((slot) => slot !== 'output-3')
const nobody = (): readonly Slot[] => []
const one = (random: Random) => [random.pick(started)]
const outputsStarted = started.filter((slot) => slot.startsWith('output'))
const oneOutput = (random: Random) => [random.pick(outputsStarted)]
const allOutputs = () => outputsStarted
const some = (random: Random) => shuffle(random, started).slice(0, random.between(1, 3))

const sorts: Readonly<Record<FaultKind, Sort>> = {
  kill: { weight: 4, forMs: [100, 3_000], on: one },
  pause: { weight: 3, forMs: [1_000, 16_000], on: one },
  restart: { weight: 2, forMs: [100, 1_000], on: one },
  'one-more': { weight: 2, forMs: [3_000, 9_000], on: () => ['output-3'] },
  cut: { weight: 2, forMs: [0, 0], on: some },
  refuse: { weight: 1, forMs: [1_000, 8_000], on: some },
  delay: { weight: 1, forMs: [2_000, 8_000], on: some },
  hole: { weight: 2, forMs: [1_000, 12_000], on: one },
  mute: { weight: 2, forMs: [1_000, 6_000], on: one },
  'late-write': { weight: 2, forMs: [10_500, 18_000], on: oneOutput },
  'response-lost': { weight: 3, forMs: [2_000, 12_000], on: some },
  'response-error': { weight: 3, forMs: [2_000, 12_000], on: some },
  'broker-kill': { weight: 1, forMs: [100, 2_000], on: nobody },
  'broker-pause': { weight: 1, forMs: [1_000, 8_000], on: nobody },
  'broker-restart': { weight: 1, forMs: [0, 0], on: nobody },
  'leader-lost': { weight: 3, forMs: [4_000, 6_000], on: nobody },
  disable: { weight: 1, forMs: [1_000, 4_000], on: nobody },
  rotate: { weight: 1, forMs: [0, 0], on: nobody },
  remake: { weight: 2, forMs: [0, 0], on: nobody },
  'offsets-lost': { weight: 1, forMs: [0, 0], on: nobody },
  retention: { weight: 1, forMs: [1_500, 3_000], on: nobody },
  'late-commit': { weight: 1, forMs: [0, 0], on: allOutputs },
  'open-transaction': { weight: 1, forMs: [3_000, 9_000], on: oneOutput },
  stranger: { weight: 1, forMs: [0, 0], on: nobody },
  corrupt: { weight: 2, forMs: [2_000, 12_000], on: nobody },
  erase: { weight: 2, forMs: [0, 0], on: nobody },
  withdraw: { weight: 2, forMs: [0, 0], on: nobody },
  rebuild: { weight: 2, forMs: [0, 0], on: nobody },
  restore: { weight: 1, forMs: [0, 0], on: nobody },
}

const STORM_MS = 12_000

const faultsOfStorm: readonly [least: number, most: number] = [2, 5]

export type Plan = { next(): Storm }

/** Draws kinds from shuffled decks. A deck starts with every kind once, then has each kind as often as its weight. */
export function createPlan(random: Random, kinds: readonly FaultKind[]): Plan {
  const cards = kinds.flatMap((kind) => Array<FaultKind>(sorts[kind].weight).fill(kind))
  let deck: FaultKind[] = []
  let number = 0
  const deal = (): FaultKind => {
    if (deck.length === 0) deck = [...shuffle(random, kinds), ...shuffle(random, cards)].reverse()
    return deck.pop() ?? 'kill'
  }
  return {
    next(): Storm {
      number += 1
      const count = random.between(...faultsOfStorm)
      const faults = Array.from({ length: count }, () => faultOf(random, deal()))
      return { number, faults: faults.sort((a, b) => a.atMs - b.atMs) }
    },
  }
}

const DEAD_MS = 500

/** Plans a storm of `forMs` that kills the output replicas in turn, one every `everyMs`. */
export function createOutputKills(everyMs: number, forMs: number): Plan {
  const outputs = outputsStarted
  const faults = Array.from({ length: Math.floor(forMs / everyMs) }, (_, at): PlannedFault => {
    const on = outputs.slice(at % outputs.length).slice(0, 1)
    return { kind: 'kill', atMs: at * everyMs, forMs: DEAD_MS, on, choice: 0 }
  })
  return { next: () => ({ number: 1, faults }) }
}

function faultOf(random: Random, kind: FaultKind): PlannedFault {
  const { forMs, on } = sorts[kind]
  const atMs = random.between(0, STORM_MS)
  return { kind, atMs, forMs: random.between(...forMs), on: on(random), choice: random.next() }
}

export function describeFault({ kind, atMs, forMs, on, choice }: PlannedFault): string {
  const where = on.length === 0 ? '' : ` ${on.join(' ')}`
  return `${(atMs / 1000).toFixed(1)} s ${kind}${where} for ${forMs} ms, choice ${choice.toFixed(3)}`
}

const outputs = slots.filter((slot) => slot.startsWith('output'))

/** Returns the names of the locks that a fault holds while it runs. */
export function faultNeedsOf({ kind, on }: PlannedFault): string[] {
  if (kind === 'restore') return ['broker', 'streams', 'people', ...slots]
  if (isOfNetwork(kind)) return on.map((slot) => `network of ${slot}`)
  switch (kind) {
    case 'kill':
    case 'pause':
    case 'restart':
    case 'one-more':
      return [...on]
    case 'broker-kill':
    case 'broker-pause':
    case 'broker-restart':
    case 'leader-lost':
      return ['broker']
    case 'disable':
    case 'rotate':
    case 'remake':
    case 'stranger':
    case 'rebuild':
      return ['streams']
    case 'erase':
    case 'withdraw':
      return ['people']
    case 'corrupt':
      return ['strangers']
    case 'late-commit':
      return ['streams', ...on]
    case 'open-transaction':
      // If a broker stops during this fault, the end of the transaction may be lost permanently (KAFKA-20734).
      return ['broker', 'streams', ...on]
    case 'offsets-lost':
    case 'retention':
      return ['broker', 'streams', ...outputs, ...outputs.map((slot) => `network of ${slot}`)]
  }
}
