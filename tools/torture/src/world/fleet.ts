// The replicas of the services, each in its slot. They are started, halted, killed and replaced while others run.
import { join } from 'node:path'

import { startService } from '@weir/devstack'
import type { Service } from '@weir/devstack'

import type { ServiceEnv } from '@weir/testkit'
import { serviceOf, slots } from './slots.ts'
import type { Slot } from './slots.ts'

/** The actions of faults on replicas. */
export type Replicas = {
  /** Resolves when the replica is ready. Tries up to TRIES_MAX times, because Kafka or auth may be down. */
  start(slot: Slot): Promise<void>
  kill(slot: Slot): Promise<void>
  /** A graceful stop, as on a shutdown. */
  stop(slot: Slot): Promise<void>
  pause(slot: Slot): void
  resume(slot: Slot): void
}

export type Fleet = Replicas & {
  /** Undefined while the replica doesn't run, and before it is ready. */
  find(slot: Slot): Service | undefined
  close(): Promise<void>
}

export type FleetOptions = {
  env(slot: Slot): ServiceEnv
  folder: string
  onLine(line: string): void
}

const TRIES_MAX = 4
const READY_WITHIN_MS = 45_000

export function createFleet({ env, folder, onLine }: FleetOptions): Fleet {
  const running = new Map<Slot, Service>()
  const ended = new AbortController()

  const launch = (slot: Slot): Promise<Service> =>
    startService({
      name: serviceOf(slot),
      env: env(slot),
      logFile: join(folder, `${slot}.log`),
      onLine,
      readyWithinMs: READY_WITHIN_MS,
      signal: ended.signal,
    })

  async function start(slot: Slot): Promise<void> {
    for (let tries = 1; !running.has(slot); tries += 1)
      try {
        running.set(slot, await launch(slot))
      } catch (error) {
        if (tries === TRIES_MAX || ended.signal.aborted) throw error
      }
  }

  const take = (slot: Slot): Service | undefined => {
    const service = running.get(slot)
    running.delete(slot)
    return service
  }

  const signal = (slot: Slot, name: NodeJS.Signals): void => sendTo(running.get(slot), name)

  return {
    find: (slot) => running.get(slot),
    start,
    kill: async (slot) => take(slot)?.kill(),
    stop: async (slot) => take(slot)?.stop(),
    pause: (slot) => signal(slot, 'SIGSTOP'),
    resume: (slot) => signal(slot, 'SIGCONT'),
    async close() {
      ended.abort()
      await Promise.all(slots.map(async (slot) => take(slot)?.stop()))
    },
  }
}

function sendTo(service: Service | undefined, signal: NodeJS.Signals): void {
  if (service !== undefined) process.kill(service.pid, signal)
}
