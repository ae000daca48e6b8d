import { gzipSync, zstdCompressSync } from 'node:zlib'

import { expect, test } from '@jest/globals'
import fc from 'fast-check'

import { batchesIn, recordsOf, visibleBatches } from '../../src/protocol/fetched-batches.ts'
import type { FetchedBatch } from '../../src/protocol/fetched-batches.ts'
import { bodyBytesOf, packBatch } from '../../src/protocol/record-batch.ts'
import type { SourceRecord } from '../../src/protocol/source-record.ts'
import type { BatchRecord } from '../../src/protocol/record-batch.ts'

const HEADER_BYTES = 61
const NOW_MS = 1_790_000_000_123

const record = (changes: Partial<BatchRecord> = {}): BatchRecord => ({
  key: 'k',
  value: 'v',
  headers: {},
  timestampMs: NOW_MS,
  ...changes,
})

type Changes = { attributes?: number; producerId?: bigint; packed?: (body: Buffer) => Buffer }

/** Returns a batch in the form in which a broker stores it. */
function batchAt(offset: bigint, records: readonly BatchRecord[], changes: Changes = {}): Buffer {
  const { attributes = 0, producerId = -1n, packed = (body: Buffer) => body } = changes
  const sized = records.map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))
  const plain = packBatch(sized, 0)
  const body = packed(plain.subarray(HEADER_BYTES))
  const bytes = Buffer.concat([plain.subarray(0, HEADER_BYTES), body])
  bytes.writeBigInt64BE(offset, 0)
  bytes.writeInt32BE(bytes.length - 12, 8)
  bytes.writeInt32BE(3, 12)
  bytes.writeInt16BE(attributes, 21)
  bytes.writeBigInt64BE(producerId, 43)
  return bytes
}

async function allIn(records: Buffer) {
  const found: SourceRecord[] = []
  for (const batch of batchesIn(records)) found.push(...(await recordsOf(batch, 0)))
  return found.map(({ offset, timestampMs, key, value, headers }) => ({
    offset,
    timestampMs,
    key: key?.toString() ?? null,
    value: value?.toString() ?? null,
    headers: Object.fromEntries(Object.entries(headers).map(([name, one]) => [name, String(one)])),
  }))
}

test('what was written comes back, whatever it is', async () => {
  const field = fc.option(fc.string())
  const headers = fc.dictionary(
    fc.string().filter((name) => name !== '__proto__'),
    fc.string(),
  )
  const timestampMs = fc.integer({ min: 0, max: 4e12 })
  const anyRecord = fc.record({ key: field, value: field, headers, timestampMs })
  await fc.assert(
    fc.asyncProperty(fc.array(anyRecord, { minLength: 1, maxLength: 20 }), async (records) => {
      const written = records.map((one) => ({ ...one, headers: { ...one.headers } }))
      expect(await allIn(batchAt(1_000n, written))).toEqual(
        written.map((one, index) => ({ ...one, offset: 1_000n + BigInt(index) })),
      )
    }),
  )
})

test.each([
  ['gzip', 1, gzipSync],
  ['zstd', 4, zstdCompressSync],
] as const)('records that are packed with %s are unpacked', async (_, attributes, packed) => {
  const bytes = batchAt(5n, [record({ value: 'a' }), record({ value: 'b' })], {
    attributes,
    packed,
  })
  expect((await allIn(bytes)).map(({ offset, value }) => [offset, value])).toEqual([
    [5n, 'a'],
    [6n, 'b'],
  ])
})

test('where the broker sets the time, all records of a batch have that', async () => {
  const bytes = batchAt(0n, [record({ timestampMs: 1 }), record({ timestampMs: 9 })], {
    attributes: 0x08,
  })
  expect((await allIn(bytes)).map(({ timestampMs }) => timestampMs)).toEqual([9, 9])
})

test('a last batch that was cut off is left for the next fetch', () => {
  const [one, two] = [batchAt(0n, [record(), record()]), batchAt(2n, [record()])]
  for (const bytes of [0, 1, 11, 12, 60, two.length - 1])
    expect(batchesIn(Buffer.concat([one, two.subarray(0, bytes)]))).toHaveLength(1)
  expect(batchesIn(Buffer.concat([one, two])).map(({ next }) => next)).toEqual([2n, 3n])
})

test('a batch that compaction has emptied still says how far it went', () => {
  const bytes = batchAt(7n, [record(), record()]).subarray(0, HEADER_BYTES)
  bytes.writeInt32BE(HEADER_BYTES - 12, 8)
  bytes.writeInt32BE(0, 57)
  const [batch] = batchesIn(bytes)
  expect(batch).toMatchObject({ firstOffset: 7n, next: 9n, leaderEpoch: 3, count: 0 })
  expect(batch && recordsOf(batch, 0)).toEqual([])
})

test('bytes that are no batch are refused, and never read beyond their end', async () => {
  const bytes = batchAt(0n, [record({ value: 'x'.repeat(50), headers: { name: 'value' } })])
  for (let at = 16; at < bytes.length; at += 1) {
    const broken = Buffer.from(bytes)
    broken[at] = 0xff
    const outcome = await Promise.resolve()
      .then(() => allIn(broken))
      .catch((error: { code?: string }) => error.code)
    expect(outcome === 'kafka.malformed' || Array.isArray(outcome)).toBe(true)
  }
})

const TRANSACTIONAL = 0x10
const MARKER = 0x30

/**
 * Returns the offsets of the visible batches. `1 ends` is a marker of producer 1, `1 plain` a batch without a
 * transaction, and `1 a` a batch in a transaction.
 */
function visible(
  log: readonly string[],
  aborted: readonly (readonly [bigint, bigint])[],
): number[] {
  const isVisible = visibleBatches(
    aborted.map(([producerId, firstOffset]) => ({ producerId, firstOffset })),
  )
  return log
    .map((text, offset) => batchFor(text, BigInt(offset)))
    .flatMap((batch, offset) => (isVisible(batch) ? [offset] : []))
}

function batchFor(text: string, offset: bigint): FetchedBatch {
  const [producer = '', what] = text.split(' ')
  const attributes = what === 'ends' ? MARKER : what === 'plain' ? 0 : TRANSACTIONAL
  const [batch] = batchesIn(
    batchAt(offset, [record()], { attributes, producerId: BigInt(producer) }),
  )
  if (batch === undefined) throw new TypeError('no batch')
  return batch
}

test('of transactions that interleave, the aborted ones are hidden up to their ends', () => {
  const log = [
    '1 a',
    '2 c',
    '3 a',
    '3 ends',
    '2 c',
    '1 a',
    '3 c',
    '1 ends',
    '2 ends',
    '1 c',
    '3 ends',
  ]
  const aborted = [
    [3n, 2n],
    [1n, 0n],
  ] as const
  expect(visible(log, aborted)).toEqual([1, 4, 6, 9])
})

test('a producer’s records outside of transactions are seen, also while one of its is aborted', () => {
  expect(visible(['1 plain', '1 a', '1 plain', '1 ends', '1 plain'], [[1n, 1n]])).toEqual([0, 2, 4])
})

test('of a fetch that begins in the middle of an aborted transaction nothing is seen', () => {
  expect(visible(['9 a', '9 ends', '9 c'], [[9n, -5n]])).toEqual([2])
})
