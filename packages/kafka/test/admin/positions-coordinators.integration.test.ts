// Positions of groups that have two different brokers as coordinators.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { findCoordinatorV4 } from '@platformatic/kafka'

import { createPositions } from '../../src/admin/positions.ts'
import type { Positions } from '../../src/admin/positions.ts'
import { openCluster } from '../broker-promises/cluster.ts'
import type { Cluster } from '../broker-promises/cluster.ts'
import { openTopics } from '../broker-promises/topics.ts'
import type { Topics } from '../broker-promises/topics.ts'
import { startTwoBrokers } from '../broker-promises/two-brokers.ts'
import type { TwoBrokers } from '../broker-promises/two-brokers.ts'
import { connect, uniqueName } from '../support.ts'

const GROUP = 0

let both: TwoBrokers
let cluster: Cluster
let topics: Topics
let positions: Positions

beforeAll(async () => {
  both = await startTwoBrokers()
  cluster = openCluster(both.brokers)
  topics = openTopics(both.brokers)
  positions = createPositions(connect(both.brokers))
}, 180_000)

afterAll(async () => {
  await positions.close()
  await topics.close()
  await cluster.close()
  await both.stop()
})

async function coordinatorsOf(groups: readonly string[]): Promise<Set<number>> {
  const connection = await cluster.at(both.brokers[0] ?? '')
  const { coordinators } = await findCoordinatorV4.api.async(connection, GROUP, [...groups])
  return new Set(coordinators.map(({ nodeId }) => nodeId))
}

test('they are read at once, also after a coordinator has come back', async () => {
  const topic = await topics.make('in')
  const prefix = uniqueName('group')
  const groups = Array.from({ length: 40 }, (_, number) => `${prefix}-${number}`)
  const partitions = [{ topic, partition: 0 }]
  const wanted = groups.map((groupId) => ({ groupId, partitions }))
  const committed = (groupId: string) => ({ topic, partition: 0, offset: 3n, metadata: groupId })
  await Promise.all(groups.map((groupId) => positions.commit(groupId, [committed(groupId)])))
  expect((await coordinatorsOf(groups)).size).toBe(2)
  const all = new Map(groups.map((groupId) => [groupId, [committed(groupId)]]))
  expect(await positions.read(wanted)).toEqual(all)

  await both.second.killBroker()
  const reading = positions.read(wanted).catch(() => undefined)
  await both.second.restartBroker()
  await reading
  expect(await positions.read(wanted)).toEqual(all)
}, 180_000)
