// Kafka may leave out the markers of a transaction that ends while a partition of it has no leader. A broker that
// doesn't ask the coordinator about partitions lets a test write records that no transaction will ever end.
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { ConfigResourceTypes } from 'kafkajs'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { internalsOf } from '../../src/connect/internals.ts'
import { FEW_RETRIES } from '../../src/connect/retries.ts'
import { SVC_SOURCE, writeSource } from '../../src/derive/svc-source.ts'
import { createTransactionRequests } from '../../src/protocol/transaction-requests.ts'
import { makeDerivation, upTo } from './derivation.ts'
import type { Derivation, Run } from './derivation.ts'
import { closeWriters, connect, deleteTopicsMade, plainKafka } from '../support.ts'

let admin: Admin
const cleanUps: (() => Promise<void>)[] = []

beforeAll(async () => {
  admin = createAdmin(connect())
  await verifyPartitions('false')
})

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
}, 30_000)

afterAll(async () => {
  await verifyPartitions('true')
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
})

async function verifyPartitions(value: string): Promise<void> {
  const plain = plainKafka().admin()
  await plain.connect()
  const { brokers } = await plain.describeCluster()
  for (const { nodeId } of brokers)
    await plain.alterConfigs({
      validateOnly: false,
      resources: [
        {
          type: ConfigResourceTypes.BROKER,
          name: String(nodeId),
          configEntries: [{ name: 'transaction.partition.verification.enable', value }],
        },
      ],
    })
  await plain.disconnect()
}

async function start(derivation: Derivation): Promise<Run> {
  const run = derivation.run(connect())
  cleanUps.push(() => run.deriver.stop())
  await run.deriver.start()
  return run
}

/** Two records derived by an owner who is gone, and two more for which he was about to end a transaction. */
async function interrupted(): Promise<{ derivation: Derivation; owner: FormerOwner }> {
  const derivation = await makeDerivation(admin, 1)
  await derivation.write(0, 'a', 'b')
  const first = await start(derivation)
  await derivation.sourcesUntil(2)
  await first.deriver.stop()
  await derivation.write(0, 'c', 'd')
  return { derivation, owner: await formerOwner(derivation) }
}

/** The next owner derives what is left, and what comes then. */
async function expectEachOnce(derivation: Derivation): Promise<void> {
  const { errors } = await start(derivation)
  await derivation.write(0, 'e')
  expect(await derivation.sourcesUntil(5)).toEqual(upTo(0, 5))
  expect(errors).toEqual([])
}

type FormerOwner = {
  /** Adds the derived partition to the transaction; without it the records are never ended. */
  join(): Promise<void>
  derive(): Promise<void>
  commitOffset(): Promise<void>
  commit(): Promise<void>
}

async function formerOwner(derivation: Derivation): Promise<FormerOwner> {
  const { inputTopic, outputTopic: topic, groupId } = derivation
  const cluster = internalsOf(connect()).cluster({ retries: FEW_RETRIES })
  cleanUps.push(() => cluster.disconnect())
  await cluster.connect()
  await cluster.addMultipleTargetTopics([topic])
  await cluster.refreshMetadata()
  const requests = createTransactionRequests(cluster)
  const me = await requests.init(derivation.transactionalIdOf(0), 30_000)
  const records = [2n, 3n].map((offset) => ({
    topic,
    partition: 0,
    key: 'k',
    value: 'v',
    headers: { [SVC_SOURCE]: writeSource({ topic: inputTopic, partition: 0, offset }) },
  }))
  return {
    join: () => requests.addPartitions(me, [{ topic, partitions: [0] }]),
    async derive() {
      await requests.produce(me, { topic, partition: 0, sequence: 0, records })
    },
    async commitOffset() {
      await requests.addGroup(me, groupId)
      const offsets = new Map([[0, 4n]])
      await requests.commitOffsets(me, { groupId, topic: inputTopic, offsets })
    },
    commit: () => requests.end(me, true),
  }
}

test('derived records of which no part was ended are aborted, and derived anew', async () => {
  const { derivation, owner } = await interrupted()
  await owner.derive()

  await expectEachOnce(derivation)
}, 60_000)

test('derived records whose offset was committed count, though their own marker is missing', async () => {
  const { derivation, owner } = await interrupted()
  await owner.derive()
  await owner.commitOffset()
  await owner.commit()

  await expectEachOnce(derivation)
}, 60_000)

test('derived records that readers see are not derived again, though their offset was lost', async () => {
  const { derivation, owner } = await interrupted()
  await owner.join()
  await owner.derive()
  await owner.commit()

  await expectEachOnce(derivation)
}, 60_000)
