import { afterAll } from '@jest/globals'

import { BROKERS } from './support.ts'
import { openCluster } from './broker-promises/cluster.ts'
import type { Cluster } from './broker-promises/cluster.ts'
import { openTopics } from './broker-promises/topics.ts'
import type { Topics } from './broker-promises/topics.ts'

/** Connects to the broker that all test files share, until the end of the calling file. */
export function useSharedBroker(): { readonly cluster: Cluster; readonly topics: Topics } {
  const cluster = openCluster(BROKERS)
  const topics = openTopics(BROKERS)
  afterAll(async () => {
    await topics.close()
    await cluster.close()
  })
  return { cluster, topics }
}
