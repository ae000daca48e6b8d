import { expect, test } from '@jest/globals'

import type { FetchedPartition } from '../../src/protocol/fetch.ts'
import { bodyBytesOf, packBatch } from '../../src/protocol/record-batch.ts'
import { deliver } from '../../src/read/deliver.ts'
import { newReader } from '../../src/read/fetch-reader.ts'

type Call = { offsets: bigint[]; next: bigint; end: bigint }

function readerFrom(from: bigint, onCall: (call: Call) => void = () => undefined) {
  const calls: Call[] = []
  const target = { topic: 't', partition: 0, from, isolation: 'read_committed' as const }
  const reader = newReader(target, {
    onRecords(records, next, end) {
      const call = { offsets: records.map(({ offset }) => offset), next, end }
      calls.push(call)
      onCall(call)
    },
    onLost: () => undefined,
    onGone: () => undefined,
  })
  return { reader, calls }
}

function fetched(end: bigint, ...batches: (readonly [first: bigint, count: number])[]) {
  const facts = { topicId: 'i', partition: 0, errorCode: 0, aborted: [], divergesAt: undefined }
  const records = Buffer.concat(batches.map(([first, count]) => batchAt(first, count)))
  return {
    ...facts,
    highWatermark: end + 5n,
    lastStableOffset: end,
    records,
  } satisfies FetchedPartition
}

function batchAt(first: bigint, count: number): Buffer {
  const record = { key: null, value: 'v', headers: {}, timestampMs: 0 }
  const sized = Array.from({ length: count }, () => ({ record, bodyBytes: bodyBytesOf(record) }))
  const bytes = packBatch(sized, 0)
  bytes.writeBigInt64BE(first, 0)
  return bytes
}

test('of a batch that begins before the place only what is wanted comes', async () => {
  const { reader, calls } = readerFrom(12n)
  await deliver(reader, fetched(20n, [10n, 4], [14n, 1]))
  expect(calls).toEqual([{ offsets: [12n, 13n, 14n], next: 15n, end: 20n }])
  expect(reader.at).toBe(15n)
})

test('much comes in pieces', async () => {
  const { reader, calls } = readerFrom(0n)
  await deliver(reader, fetched(500n, [0n, 150], [150n, 150], [300n, 200]))
  expect(calls.map(({ offsets, next }) => [offsets.length, next])).toEqual([
    [300, 300n],
    [200, 500n],
  ])
})

test('nothing is told where nothing came, unless nothing else is there', async () => {
  const { reader, calls } = readerFrom(3n)
  await deliver(reader, fetched(9n))
  expect(calls).toEqual([])
  await deliver(reader, fetched(9n), true)
  expect(calls).toEqual([{ offsets: [], next: 9n, end: 9n }])
})

test('a sink that throws leaves the place as it was', async () => {
  const { reader } = readerFrom(0n, () => {
    throw new Error('not now')
  })
  await expect(deliver(reader, fetched(2n, [0n, 2]))).rejects.toThrow('not now')
  expect(reader.at).toBe(0n)
})

test('who moves while pieces come gets none of those that were on their way', async () => {
  const { reader, calls } = readerFrom(0n, () => {
    reader.life += 1
    reader.at = 7n
  })
  await deliver(reader, fetched(600n, [0n, 300], [300n, 300]))
  expect(calls).toHaveLength(1)
  expect(reader.at).toBe(7n)
})
