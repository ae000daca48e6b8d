// A broker that one test can pause and kill. The test uses the registry of the test run.
import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startStack } from '@weir/devstack'
import type { Stack } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { setting, startInputWorld } from '@weir/testkit'
import { sceneIn } from './scene.ts'
import type { ApartScene, SceneOptions } from './scene.ts'

export type OwnBroker = Pick<
  Stack,
  'kafkaBrokers' | 'resumeBroker' | 'killBroker' | 'restartBroker' | 'stop'
> & {
  /** Pauses the broker, and resolves once it is silent. Its connections stay open. */
  pauseBroker(): Promise<void>
}

export type OwnScene = ApartScene & { broker: OwnBroker }

export async function startOwnScene({ env: own, ...more }: SceneOptions = {}): Promise<OwnScene> {
  const broker = await startOwnBroker()
  try {
    const world = await startInputWorld({ ...own, KAFKA_BROKERS: broker.kafkaBrokers })
    const scene = await sceneIn(world, more)
    const stop = async (): Promise<void> => {
      broker.resumeBroker()
      await scene.stop()
      await broker.stop()
    }
    return { ...scene, broker, stop }
  } catch (error) {
    await broker.stop()
    throw error
  }
}

async function startOwnBroker(): Promise<OwnBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-ingest-test-'))
  const schemaRegistryUrl = setting('SCHEMA_REGISTRY_URL')
  const stack = await startStack({ folder, ports: 'free', schemaRegistryUrl })
  return {
    ...stack,
    async pauseBroker() {
      const pid = stack.brokerPid()
      stack.pauseBroker()
      const isStopped = async (): Promise<boolean> => pid === undefined || hasStopped(pid)
      await pollUntil(isStopped, { deadlineMs: 60_000, everyMs: 5, what: 'pausing the broker' })
    },
    async stop() {
      stack.resumeBroker()
      await stack.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A process stops a moment after the signal, so a busy broker may send one or two more responses. */
async function hasStopped(pid: number): Promise<boolean> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'state=', '-p', String(pid)])
  return stdout.trim().startsWith('T')
}
