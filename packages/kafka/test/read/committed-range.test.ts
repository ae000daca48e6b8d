import { expect, test } from '@jest/globals'
import type { FetchedMessage } from 'kafkajs/src/broker/index.js'
import type Cluster from 'kafkajs/src/cluster/index.js'

import { firstReadable, readCommitted } from '../../src/read/committed-range.ts'

/** A partition in which only some offsets still hold records, and a fetch gives what lies at its offset. */
function clusterWith(offsets: readonly number[]): Cluster {
  const broker = {
    metadata: () =>
      Promise.resolve({
        topicMetadata: [{ topic: 't', partitionMetadata: [{ partitionId: 0, leader: 1 }] }],
      }),
    fetch: ({ topics }: { topics: { partitions: { fetchOffset: string }[] }[] }) => {
      const from = Number(topics[0]?.partitions[0]?.fetchOffset)
      const messages = offsets.filter((offset) => offset === from).map(messageAt)
      const partitions = [{ partition: 0, abortedTransactions: [], messages }]
      return Promise.resolve({ responses: [{ topicName: 't', partitions }] })
    },
  }
  return asCluster({
    brokerPool: { findConnectedBroker: () => Promise.resolve(broker) },
    findBroker: () => Promise.resolve(broker),
  })
}

function messageAt(offset: number): FetchedMessage {
  return {
    offset: `${offset}`,
    timestamp: '0',
    key: null,
    value: Buffer.from(`${offset}`),
    headers: {},
    isControlRecord: false,
    batchContext: { producerId: '-1', inTransaction: false },
  }
}

// Only what the code under test calls is there.
function asCluster(parts: object): Cluster {
  return parts as Cluster
}

const range = { topic: 't', partition: 0, from: 2n, to: 9n }

test('what compaction emptied is stepped over, to the first record that is left', async () => {
  expect(await firstReadable(clusterWith([1, 6, 7]), range)).toBe(6n)
  expect(await firstReadable(clusterWith([2]), range)).toBe(2n)
})

test('where nothing is left before the end, the end is what comes next', async () => {
  expect(await firstReadable(clusterWith([9]), range)).toBe(9n)
})

test('reading a range ends, whatever compaction has left of it', async () => {
  const records = await readCommitted(clusterWith([3, 5, 9]), range)

  expect(records.map(({ offset }) => offset)).toEqual([3n, 5n])
})
