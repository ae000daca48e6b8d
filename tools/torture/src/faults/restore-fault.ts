// Deletes control state after erasures, and restores it from a backup that is older than the erasures.
import { slots } from '../world/slots.ts'
import type { Operate } from '../world/operate.ts'
import { erase, withdraw } from './people-faults.ts'
import type { PlannedFault } from './plan.ts'
import type { Theatre } from './theatre.ts'

const lost = ['weir.control', 'weir.keys']
/** A try takes more than 3 s. Writes are at most 18 s late. */
const TRIES_MAX = 8
const all = slots.filter((slot) => slot !== 'output-3')

export async function restore(theatre: Theatre, fault: PlannedFault): Promise<void> {
  const { fleet, topics, operate } = theatre
  const backup = await operate(['save'])
  await erase(theatre, fault)
  await withdraw(theatre, { ...fault, choice: 1 - fault.choice })
  await Promise.all(all.map((slot) => fleet.kill(slot)))
  for (const topic of lost) await topics.admin.topics.delete(topic)
  await restoreFrom(backup, operate)
  await Promise.all(all.map((slot) => fleet.start(slot)))
}

/**
 * Like an operator, tries again if the tool says that a service is running: a killed replica's heartbeats may arrive as
 * late as its other writes.
 */
async function restoreFrom(backup: string, operate: Operate): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await operate(['restore'], backup)
      return
    } catch (error) {
      if (tries === TRIES_MAX || !String(error).includes('Stop all services first')) throw error
    }
  }
}
