// Faults of the network between replicas and the broker.
import { delay } from '@weir/kit'

import { errorsOf, requestKinds } from '../world/kafka-responses.ts'
import type { Tampering } from '../world/kafka-responses.ts'
import type { ProxyMode } from '../world/proxy.ts'
import type { PlannedFault } from './plan.ts'
import type { Theatre } from './theatre.ts'

const DELAY_MAX_MS = 400

export async function cut({ ways }: Theatre, { on }: PlannedFault): Promise<void> {
  for (const slot of on) ways.proxy(slot).cut()
}

export const refuseConnections = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'refuse' })
export const hole = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'hole' })
export const mute = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'mute' })
/** Delays the bytes that replicas send, until other replicas have acquired their partitions. */
export const hold = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'hold' })
export const slow = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'delay', ms: Math.ceil(fault.choice * DELAY_MAX_MS) })

/** The broker executes the request, but its response is lost. */
export const loseResponses = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'tamper', tampering: chosen(losses, fault) })
/** The broker executes the request, but its response reports an error. */
export const reportErrors = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'tamper', tampering: chosen(errors, fault) })

const losses = requestKinds.map((of): Tampering => ({ of }))
const errors = requestKinds.flatMap((of) =>
  errorsOf(of).map((errorCode): Tampering => ({ of, errorCode })),
)

function chosen(tamperings: readonly Tampering[], { choice }: PlannedFault): Tampering {
  const one = tamperings[Math.floor(choice * tamperings.length)]
  if (one === undefined) throw new RangeError(`a choice is from 0 to 1, not ${choice}`)
  return one
}

async function during(
  { ways }: Theatre,
  { on, forMs }: PlannedFault,
  mode: ProxyMode,
): Promise<void> {
  for (const slot of on) ways.proxy(slot).setMode(mode)
  await delay(forMs)
  for (const slot of on) ways.proxy(slot).setMode({ kind: 'open' })
}
