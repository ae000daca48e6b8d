// Injects the faults of each storm, and ends them afterwards.
import { delay, describeError } from '@weir/kit'

import { slots } from '../world/slots.ts'
import { loseOffsets, loseRecords } from './group-faults.ts'
import { createLocks } from './locks.ts'
import * as network from './network-faults.ts'
import { faultNeedsOf } from './plan.ts'
import type { PlannedFault, FaultKind, Storm } from './plan.ts'
import * as processes from './process-faults.ts'
import { erase, rebuild, withdraw } from './people-faults.ts'
import { restore } from './restore-fault.ts'
import { disable, remake, rotate } from './stream-faults.ts'
import { commitLate, openTransaction, writeCorrupt, writeForeign } from './stranger-faults.ts'
import type { Theatre } from './theatre.ts'

type Act = (theatre: Theatre, fault: PlannedFault) => Promise<void>

const acts: Readonly<Record<FaultKind, Act>> = {
  kill: processes.kill,
  pause: processes.pauseProcess,
  restart: processes.restart,
  'one-more': processes.oneMore,
  cut: network.cut,
  refuse: network.refuseConnections,
  delay: network.slow,
  hole: network.hole,
  mute: network.mute,
  'late-write': network.hold,
  'response-lost': network.loseResponses,
  'response-error': network.reportErrors,
  'broker-kill': processes.brokerKill,
  'broker-pause': processes.brokerPause,
  'broker-restart': processes.brokerRestart,
  'leader-lost': processes.leaderLost,
  disable,
  rotate,
  remake,
  'offsets-lost': loseOffsets,
  retention: loseRecords,
  'late-commit': commitLate,
  'open-transaction': openTransaction,
  stranger: writeForeign,
  corrupt: writeCorrupt,
  erase,
  withdraw,
  rebuild,
  restore,
}

export type Nemesis = {
  /** Resolves when all faults of the storm have ended and everything runs again. */
  raise(storm: Storm): Promise<void>
  /** The number of faults of each kind that ran as planned. */
  counts(): Readonly<Record<string, number>>
}

export function createNemesis(theatre: Theatre, say: (line: string) => void): Nemesis {
  const locks = createLocks()
  const counts = new Map<FaultKind, number>()

  const bring = async (fault: PlannedFault): Promise<void> => {
    await delay(fault.atMs)
    try {
      await locks.hold(faultNeedsOf(fault), () => acts[fault.kind](theatre, fault))
      counts.set(fault.kind, (counts.get(fault.kind) ?? 0) + 1)
    } catch (error) {
      if (fault.kind === 'restore') throw error // no service runs without its control state
      say(`  ${fault.kind} did not go as planned: ${JSON.stringify(describeError(error))}`)
    }
  }

  return {
    async raise({ faults }) {
      await Promise.all(faults.map(bring))
      await putInOrder(theatre)
    },
    counts: () => Object.fromEntries(counts),
  }
}

async function putInOrder({ brokers, fleet, ways }: Theatre): Promise<void> {
  for (const proxy of ways.all()) proxy.setMode({ kind: 'open' })
  for (const broker of brokers) {
    if (broker.brokerPid() === undefined) await broker.restartBroker()
    broker.resumeBroker()
  }
  const wanted = slots.filter((slot) => slot !== 'output-3')
  for (const slot of wanted) fleet.resume(slot)
  await Promise.all(wanted.map((slot) => fleet.start(slot)))
  await fleet.kill('output-3')
}
