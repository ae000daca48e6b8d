// The connection that all who ask by one handle share: opened at the first call, and anew after it broke.
import type Cluster from 'kafkajs/src/cluster/index.js'

import { hasCode } from '@weir/kit'

import { closeClient } from '../connect/close-client.ts'
import { isFromBroker } from '../connect/faults.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { FEW_RETRIES } from '../connect/retries.ts'

export type Call<T> = (cluster: Cluster) => Promise<T>

export type SharedCluster = {
  /** Once, on the connection that there is, or on a new one. */
  attempt<T>(call: Call<T>): Promise<T>
  /** To be called once; the last one closes the connection. */
  leave(): Promise<void>
}

const connections = new WeakMap<Kafka, { cluster: Promise<Cluster> | undefined; users: number }>()

export function joinCluster(kafka: Kafka): SharedCluster {
  const internals = internalsOf(kafka)
  const shared = connections.get(kafka) ?? { cluster: undefined, users: 0 }
  connections.set(kafka, shared)
  shared.users += 1

  function discard(broken: Promise<Cluster>): void {
    if (shared.cluster === broken) shared.cluster = undefined
    void closeQuietly(broken)
  }

  return {
    async attempt(call) {
      const opening = (shared.cluster ??= openCluster(internals))
      const cluster = await opening.catch((error: unknown) => {
        discard(opening)
        internals.troubles.failed(error)
        throw error
      })
      try {
        return await call(cluster)
      } catch (error) {
        if (!isFromBroker(error) && !hasCode(error)) discard(opening)
        throw error
      }
    },
    async leave() {
      shared.users -= 1
      if (shared.users > 0 || !shared.cluster) return
      const last = shared.cluster
      shared.cluster = undefined
      await closeQuietly(last)
    },
  }
}

async function openCluster(internals: ReturnType<typeof internalsOf>): Promise<Cluster> {
  const cluster = internals.cluster({ retries: FEW_RETRIES })
  try {
    await cluster.connect()
    await cluster.refreshMetadata()
    return cluster
  } catch (error) {
    void closeClient(cluster)
    throw error
  }
}

async function closeQuietly(cluster: Promise<Cluster>): Promise<void> {
  await cluster.then((open) => closeClient(open)).catch(() => undefined)
}
