// Starts the brokers of a run. With one broker, each replica connects through its own proxy. With three, replicas
// connect directly. Each node is broker and controller. Replication factor 3 and min.insync.replicas 2 are as in
// production.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

import { freePort, startStack } from '@weir/devstack'
import type { Stack } from '@weir/devstack'

import type { Slot, Ways } from './slots.ts'

export type Brokers = {
  /** One broker, or three. */
  brokers: readonly Stack[]
  /** The addresses without proxies. */
  addresses: readonly string[]
  schemaRegistryUrl: string
  /** The value of `KAFKA_BROKERS` for a replica. */
  addressFor(slot: Slot): string
}

export type BrokersOptions = {
  folder: string
  ways: Ways
  count: 1 | 3
  /** Kafka forgets producers and transactional ids that were unused for this long. By default it takes days. */
  expireIdsMs: number | undefined
  schemaRegistryUrl: string | undefined
}

type Ports = Ways['ports']

const replicated = {
  'default.replication.factor': 3,
  'min.insync.replicas': 2,
  'offsets.topic.replication.factor': 3,
  'transaction.state.log.replication.factor': 3,
  'transaction.state.log.min.isr': 2,
}

const expiring = (expireIdsMs: number | undefined) =>
  expireIdsMs === undefined
    ? {}
    : {
        'transactional.id.expiration.ms': expireIdsMs,
        'transaction.remove.expired.transaction.cleanup.interval.ms': 1_000,
        'producer.id.expiration.ms': expireIdsMs,
        'producer.id.expiration.check.interval.ms': 1_000,
      }

export async function startBrokers(options: BrokersOptions): Promise<Brokers> {
  return options.count === 1 ? startOne(options) : startThree(options)
}

async function startOne(options: BrokersOptions): Promise<Brokers> {
  const { folder, ways, schemaRegistryUrl, expireIdsMs } = options
  const stack = await startStack({
    folder: join(folder, 'stack'),
    ports: ways.ports,
    schemaRegistryUrl,
    brokerSettings: { ...ways.brokerSettings, ...expiring(expireIdsMs) },
  })
  return {
    brokers: [stack],
    addresses: [stack.kafkaBrokers],
    schemaRegistryUrl: stack.schemaRegistryUrl,
    addressFor: (slot) => `127.0.0.1:${ways.proxy(slot).port}`,
  }
}

/** Starts all nodes together, because a node serves only when two nodes run. */
async function startThree(options: BrokersOptions): Promise<Brokers> {
  const { folder, ways, schemaRegistryUrl, expireIdsMs } = options
  const clusterId = randomBytes(16).toString('base64url').replace(/^-/, 'A')
  const nodes: Ports[] = [ways.ports, await freePorts(), await freePorts()]
  const voters = nodes.map(({ controller }, at) => `${at + 1}@127.0.0.1:${controller}`).join()
  const starting = nodes.map((ports, at) =>
    startStack({
      folder: join(folder, `broker-${at + 1}`),
      ports,
      clusterId,
      // All nodes share the registry of the first one.
      schemaRegistryUrl: at === 0 ? schemaRegistryUrl : registryAt(ways.ports),
      brokerSettings: {
        ...replicated,
        ...expiring(expireIdsMs),
        'node.id': at + 1,
        'controller.quorum.voters': voters,
      },
    }),
  )
  const settled = await Promise.allSettled(starting)
  const brokers = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const failed = settled.find((one) => one.status === 'rejected')
  if (failed !== undefined) {
    for (const broker of brokers) await broker.stop()
    throw failed.reason
  }
  const addresses = brokers.map(({ kafkaBrokers }) => kafkaBrokers)
  const [first] = brokers
  return {
    brokers,
    addresses,
    schemaRegistryUrl: first?.schemaRegistryUrl ?? '',
    addressFor: () => addresses.join(),
  }
}

const registryAt = ({ registry }: Ports): string => `http://127.0.0.1:${registry}`

async function freePorts(): Promise<Ports> {
  return { kafka: await freePort(), controller: await freePort(), registry: await freePort() }
}
