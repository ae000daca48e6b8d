// Faults of replicas and of broker processes. Each function resolves when the affected processes work again.
import type { OwnBroker } from '@weir/devstack'
import { delay } from '@weir/kit'

import type { PlannedFault } from './plan.ts'
import type { Theatre } from './theatre.ts'

const HALTED_MS = 1_500
/** The time for a restarted broker to catch up. */
const IN_SYNC_MS = 3_000

export async function kill({ fleet }: Theatre, { on, forMs }: PlannedFault): Promise<void> {
  await Promise.all(
    on.map(async (slot) => {
      await fleet.kill(slot)
      await delay(forMs)
      await fleet.start(slot)
    }),
  )
}

export async function pauseProcess({ fleet }: Theatre, { on, forMs }: PlannedFault): Promise<void> {
  for (const slot of on) fleet.pause(slot)
  await delay(forMs)
  for (const slot of on) fleet.resume(slot)
}

export async function restart({ fleet }: Theatre, { on, forMs }: PlannedFault): Promise<void> {
  for (const slot of on) {
    await fleet.stop(slot)
    await delay(forMs)
    await fleet.start(slot)
  }
}

/** Starts one more replica for a while, so that partitions change their owner twice. */
export async function oneMore(
  { fleet }: Theatre,
  { on, forMs, choice }: PlannedFault,
): Promise<void> {
  for (const slot of on) {
    await fleet.start(slot)
    await delay(forMs)
    await (choice < 0.5 ? fleet.kill(slot) : fleet.stop(slot))
  }
}

export async function brokerKill(theatre: Theatre, fault: PlannedFault): Promise<void> {
  const broker = chosen(theatre, fault)
  await broker?.killBroker()
  await delay(fault.forMs)
  await broker?.restartBroker()
}

export async function brokerPause(theatre: Theatre, fault: PlannedFault): Promise<void> {
  const broker = chosen(theatre, fault)
  broker?.pauseBroker()
  await delay(fault.forMs)
  broker?.resumeBroker()
}

export async function brokerRestart(theatre: Theatre, fault: PlannedFault): Promise<void> {
  await chosen(theatre, fault)?.restartBroker()
}

const chosen = ({ brokers }: Theatre, { choice }: PlannedFault): OwnBroker | undefined =>
  brokers[Math.floor(choice * brokers.length)]

/**
 * Kills a broker while the other brokers are paused, so that records that only this broker has are lost. The pause is
 * too short for the controller to detect. Kills each broker in turn, because the leader isn't known.
 */
export async function leaderLost(
  { brokers }: Theatre,
  { choice, forMs }: PlannedFault,
): Promise<void> {
  const inTurn = choice < 0.5 ? brokers : brokers.toReversed()
  for (const leader of inTurn) {
    const followers = brokers.filter((other) => other !== leader)
    for (const follower of followers) follower.pauseBroker()
    await delay(HALTED_MS)
    await leader.killBroker()
    for (const follower of followers) follower.resumeBroker()
    await delay(forMs)
    await leader.restartBroker()
    await delay(IN_SYNC_MS)
  }
}
