// Deletes control state after erasures, and restores it from a backup that is older than the erasures.
import { slots } from '../world/slots.ts'
import { erase, withdraw } from './people-faults.ts'
import type { PlannedFault } from './plan.ts'
import type { Theatre } from './theatre.ts'

const lost = ['weir.control', 'weir.keys']
const all = slots.filter((slot) => slot !== 'output-3')

export async function restore(theatre: Theatre, fault: PlannedFault): Promise<void> {
  const { fleet, topics, operate } = theatre
  const backup = await operate(['save'])
  await erase(theatre, fault)
  await withdraw(theatre, { ...fault, choice: 1 - fault.choice })
  await Promise.all(all.map((slot) => fleet.kill(slot)))
  for (const topic of lost) await topics.admin.topics.delete(topic)
  await operate(['restore'], backup)
  await Promise.all(all.map((slot) => fleet.start(slot)))
}
