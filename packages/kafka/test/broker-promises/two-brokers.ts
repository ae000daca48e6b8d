// Two brokers. The first one is also the controller, coordinates every transaction, and keeps running. The second one
// may be stopped and restarted.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort, startStack } from '@weir/devstack'
import type { Stack } from '@weir/devstack'

import { newTransactionalId, openCluster } from './cluster.ts'

export type TwoBrokers = {
  readonly brokers: readonly string[]
  /** The broker that may be stopped. */
  readonly second: Stack
  stop(): Promise<void>
}

export const FIRST = 1
export const SECOND = 2

export async function startTwoBrokers(): Promise<TwoBrokers> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-two-brokers-'))
  const clusterId = `A${randomBytes(15).toString('base64url')}A`.slice(0, 22)
  const controller = await freePort()
  const start = async (node: number, ports: Ports, more: Record<string, string>) =>
    startStack({
      folder: join(folder, `broker-${node}`),
      ports,
      clusterId,
      schemaRegistryUrl: 'http://127.0.0.1:9',
      brokerSettings: { 'node.id': node, ...more },
    })
  const first = await start(FIRST, { kafka: await freePort(), controller }, {})
  const stopFirst = async () => {
    await first.stop()
    await rm(folder, { recursive: true, force: true })
  }
  try {
    await makeTransactionLog(first.kafkaBrokers)
    const ports = { kafka: await freePort(), controller: await freePort() }
    const second = await start(SECOND, ports, {
      'process.roles': 'broker',
      listeners: `PLAIN://127.0.0.1:${ports.kafka}`,
      'controller.quorum.voters': `${FIRST}@127.0.0.1:${controller}`,
    })
    const brokers = [first.kafkaBrokers, second.kafkaBrokers]
    return { brokers, second, stop: () => second.stop().then(stopFirst) }
  } catch (error) {
    await stopFirst()
    throw error
  }
}

type Ports = { kafka: number; controller: number }

/** Creates the transaction log on the first broker, before the second broker starts. */
async function makeTransactionLog(address: string): Promise<void> {
  const cluster = openCluster([address])
  await cluster.coordinator('transaction', newTransactionalId())
  await cluster.close()
}
