// Faults of the network between replicas and the broker.
import { delay } from '@weir/kit'

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
/** Delays what replicas send, so that it arrives after other replicas have acquired their partitions. */
export const hold = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'hold' })
export const slow = (theatre: Theatre, fault: PlannedFault) =>
  during(theatre, fault, { kind: 'delay', ms: Math.ceil(fault.choice * DELAY_MAX_MS) })

async function during(
  { ways }: Theatre,
  { on, forMs }: PlannedFault,
  mode: ProxyMode,
): Promise<void> {
  for (const slot of on) ways.proxy(slot).setMode(mode)
  await delay(forMs)
  for (const slot of on) ways.proxy(slot).setMode({ kind: 'open' })
}
