// Slots for replicas. With one broker, each slot has its own proxy and listener. The listener advertises the proxy's
// address, so that no replica bypasses the proxy.
import { freePort } from '@weir/devstack'
import type { ServiceName } from '@weir/devstack'

import { startProxy } from './proxy.ts'
import type { Proxy } from './proxy.ts'

export const slots = ['auth-1', 'ingest-1', 'ingest-2', 'output-1', 'output-2', 'output-3'] as const
export type Slot = (typeof slots)[number]

const services: Readonly<Record<Slot, ServiceName>> = {
  'auth-1': 'auth',
  'ingest-1': 'ingest',
  'ingest-2': 'ingest',
  'output-1': 'output',
  'output-2': 'output',
  'output-3': 'output',
}
export const serviceOf = (slot: Slot): ServiceName => services[slot]
export const slotsOf = (name: ServiceName): Slot[] =>
  slots.filter((slot) => services[slot] === name)

export type Ways = {
  readonly ports: { readonly kafka: number; readonly controller: number; readonly registry: number }
  readonly brokerSettings: Readonly<Record<string, string | number>>
  proxy(slot: Slot): Proxy
  all(): readonly Proxy[]
  /** The number of responses that were lost or changed on purpose, by kind of request. */
  tampered(): Readonly<Record<string, number>>
  close(): Promise<void>
}

const LOOPBACK = '127.0.0.1'

export async function openWays(): Promise<Ways> {
  const ports = {
    kafka: await freePort(),
    controller: await freePort(),
    registry: await freePort(),
  }
  const ways: { listener: string; port: number; proxy: Proxy; slot: Slot }[] = []
  for (const slot of slots) {
    const port = await freePort()
    const listener = slot.toUpperCase().replace('-', '')
    ways.push({ slot, listener, port, proxy: await startProxy(port) })
  }
  const own = { listener: 'PLAIN', port: ports.kafka }
  const at = (port: number) => `${LOOPBACK}:${port}`
  const listeners = [own, ...ways].map(({ listener, port }) => `${listener}://${at(port)}`)
  const told = ways.map(({ listener, proxy }) => `${listener}://${at(proxy.port)}`)
  const plain = ways.map(({ listener }) => `${listener}:PLAINTEXT`)
  return {
    ports,
    brokerSettings: {
      listeners: [...listeners, `CONTROLLER://${at(ports.controller)}`].join(),
      'advertised.listeners': [`PLAIN://${at(ports.kafka)}`, ...told].join(),
      'listener.security.protocol.map': ['PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT', ...plain].join(),
      'num.network.threads': 1,
      // Records that retention removed must not return, even if a broker is killed in its first 30 s.
      'log.flush.start.offset.checkpoint.interval.ms': 200,
      'log.initial.task.delay.ms': 200,
      // Soon aborts other clients' open transactions, which hide later records.
      'transaction.abort.timed.out.transaction.cleanup.interval.ms': 1_000,
    },
    proxy(slot) {
      const way = ways.find((one) => one.slot === slot)
      if (way === undefined) throw new TypeError(`there is no ${slot}`)
      return way.proxy
    },
    all: () => ways.map(({ proxy }) => proxy),
    tampered: () => sumsOf(ways.map(({ proxy }) => proxy.tampered())),
    async close() {
      await Promise.all(ways.map(({ proxy }) => proxy.close()))
    },
  }
}

function sumsOf(all: readonly ReadonlyMap<string, number>[]): Readonly<Record<string, number>> {
  const sums = new Map<string, number>()
  for (const one of all)
    for (const [kind, count] of one) sums.set(kind, (sums.get(kind) ?? 0) + count)
  return Object.fromEntries(sums)
}
