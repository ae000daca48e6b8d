// Producer ids for a producer's partitions. A partition gets the latest id, and keeps it. If the partition's sequence
// numbers become uncertain, it gets a newer id before its next batch. With the old id the broker could take the new
// batch for a duplicate, and acknowledge it without storing it.
import { initProducerIdV4 } from '#client-library'

import { withTimeout } from '@weir/kit'

import type { Cluster } from '../connect/cluster.ts'
import { requestOf } from '../connect/requests.ts'

export type Identity = { readonly id: bigint; readonly epoch: number }

export type Identities = {
  /** Returns an identity newer than `former`. Asks the broker if necessary. */
  after(former: Identity | undefined, broker: number): Promise<Identity>
  /** Later calls of `after` return only identities that were requested after this call. */
  renew(): void
}

const NO_TRANSACTIONS_MS = 0

export function createIdentities(cluster: Cluster, timeoutMs: number): Identities {
  let latest: Promise<Identity> | undefined

  async function create(broker: number): Promise<Identity> {
    const options = { purpose: 'control', untilMs: performance.now() + timeoutMs } as const
    const request = requestOf(initProducerIdV4.api, null, NO_TRANSACTIONS_MS)
    const asking = cluster.ask(broker, request, options)
    const { producerId, producerEpoch } = await withTimeout(asking, timeoutMs, 'a producer id')
    return { id: producerId, epoch: producerEpoch }
  }

  return {
    async after(former, broker) {
      for (;;) {
        const asked = (latest ??= create(broker))
        const identity = await asked.catch((error: unknown) => {
          if (latest === asked) latest = undefined
          throw error
        })
        if (identity !== former) return identity
        if (latest === asked) latest = undefined
      }
    },
    renew() {
      latest = undefined
    },
  }
}
