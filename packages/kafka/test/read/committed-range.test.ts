import { expect, test } from '@jest/globals'

import type { KafkaBrokers } from '../../src/connect/broker-calls.ts'
import type { FetchAnswer } from '../../src/protocol/fetch.ts'
import { bodyBytesOf, packBatch } from '../../src/protocol/record-batch.ts'
import { readCommitted, readStep } from '../../src/read/committed-range.ts'

/** A partition with records at these offsets and this end. The broker returns one batch per fetch. */
function brokersWith(offsets: readonly number[], end: number): KafkaBrokers {
  let from = 0n
  const answer = (): FetchAnswer => {
    const found = offsets.find((offset) => offset >= Number(from))
    const records = found === undefined ? Buffer.alloc(0) : batchAt(found)
    from = found === undefined ? BigInt(end) : BigInt(found) + 1n
    const highWatermark = BigInt(end)
    const facts = { topicId: 'i', partition: 0, errorCode: 0, aborted: [], divergesAt: undefined }
    const fetched = { ...facts, highWatermark, lastStableOffset: highWatermark, records }
    return { throttleTimeMs: 0, errorCode: 0, sessionId: 0, partitions: [fetched] }
  }
  const partitions = [{ partition: 0, leader: 1, leaderEpoch: 0, replicas: [1] }]
  const topics = new Map([['t', { id: 'i', partitions }]])
  return {
    describe: () => Promise.resolve({ brokers: [1], controller: 1, topics, faults: new Map() }),
    ask: <Answer>() => Promise.resolve(asAnswer<Answer>(answer())),
  }
}

// The code under test requests only fetches.
function asAnswer<Answer>(answer: unknown): Answer {
  return answer as Answer
}

function batchAt(offset: number): Buffer {
  const record = { key: null, value: `${offset}`, headers: {}, timestampMs: 0 }
  const bytes = packBatch([{ record, bodyBytes: bodyBytesOf(record) }], 0)
  bytes.writeBigInt64BE(BigInt(offset), 0)
  return bytes
}

const range = { topic: 't', partition: 0, from: 0n, to: 9n }

test('reading a range ends, whatever compaction has left of it', async () => {
  const records = await readCommitted(brokersWith([3, 5, 9], 10), range)
  expect(records.map(({ offset }) => offset)).toEqual([3n, 5n])
  expect(await readCommitted(brokersWith([3], 10), range)).toHaveLength(1)
  expect(await readCommitted(brokersWith([], 10), range)).toEqual([])
})

test('what cannot be read yet is not taken for nothing', async () => {
  await expect(readStep(brokersWith([], 0), range)).rejects.toMatchObject({
    apiId: 'OFFSET_NOT_AVAILABLE',
  })
})
