// One broker that every replica reaches by a way of its own; or a cluster of three, which replicas reach directly,
// where each partition has two copies and the first broker is the controller, so that only the others may be hurt.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

import { freePort, startStack, type Stack } from '@weir/devstack'

import type { Slot, Ways } from './slots.ts'

export type Brokers = {
  stack: Stack
  /** Those that aren't the controller. */
  others: readonly Stack[]
  /** Past all proxies. */
  addresses: readonly string[]
  /** What a replica is told. */
  addressFor(slot: Slot): string
}

export type BrokersOptions = {
  folder: string
  ways: Ways
  count: 1 | 3
  schemaRegistryUrl: string | undefined
}

const replicated = {
  'default.replication.factor': 2,
  'offsets.topic.replication.factor': 2,
  'transaction.state.log.replication.factor': 2,
}

export async function startBrokers(options: BrokersOptions): Promise<Brokers> {
  const { folder, ways, schemaRegistryUrl } = options
  const common = { folder: join(folder, 'stack'), ports: ways.ports, schemaRegistryUrl }
  if (options.count === 1) {
    const stack = await startStack({ ...common, brokerSettings: ways.brokerSettings })
    const addressFor = (slot: Slot): string => `127.0.0.1:${ways.proxy(slot).port}`
    return { stack, others: [], addresses: [stack.kafkaBrokers], addressFor }
  }
  const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A')
  const stack = await startStack({ ...common, clusterId, brokerSettings: replicated })
  const others: Stack[] = []
  try {
    for (const node of [2, 3]) others.push(await startOther(options, { stack, clusterId, node }))
  } catch (error) {
    for (const each of [...others, stack]) await each.stop()
    throw error
  }
  const addresses = [stack, ...others].map(({ kafkaBrokers }) => kafkaBrokers)
  return { stack, others, addresses, addressFor: () => addresses.join() }
}

type Cluster = { stack: Stack; clusterId: string; node: number }

async function startOther(
  { folder, ways }: BrokersOptions,
  { stack, clusterId, node }: Cluster,
): Promise<Stack> {
  const ports = {
    kafka: await freePort(),
    controller: await freePort(),
    registry: await freePort(),
  }
  return startStack({
    folder: join(folder, `broker-${node}`),
    ports,
    clusterId,
    schemaRegistryUrl: stack.schemaRegistryUrl,
    brokerSettings: {
      ...replicated,
      'process.roles': 'broker',
      'node.id': node,
      'controller.quorum.voters': `1@127.0.0.1:${ways.ports.controller}`,
      listeners: `PLAIN://127.0.0.1:${ports.kafka}`,
    },
  })
}
