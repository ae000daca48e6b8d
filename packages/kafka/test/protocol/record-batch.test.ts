import { randomBytes } from 'node:crypto'

import { expect, test } from '@jest/globals'

import { crc32c } from '../../src/protocol/crc32c.ts'
import { bodyBytesOf, encodeRecord, packBatch } from '../../src/protocol/record-batch.ts'
import type { ProduceRecord } from '../../src/protocol/record-batch.ts'
import { readBatch } from './read-batch.ts'

const NOW_MS = 1_790_000_000_123

function record(changes: Partial<ProduceRecord>): ProduceRecord {
  return { key: 'k', value: Buffer.from('v'), headers: {}, timestampMs: NOW_MS, ...changes }
}

function write(records: readonly ProduceRecord[], from = 0): Buffer {
  const sized = records.map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))
  return packBatch(sized, from)
}

const roundTrip = (records: readonly ProduceRecord[], from = 0) =>
  readBatch(write(records, from)).records

test('a record comes back with its key, value, headers and time', () => {
  const records = [
    record({
      key: Buffer.from('bytes'),
      headers: { 'svc-schema-id': 'clickstream', 'a-ß': 'ü€😀' },
    }),
    record({ key: 'text ä', value: Buffer.alloc(0), headers: { raw: Buffer.from('x') } }),
  ]

  expect(roundTrip(records)).toEqual([
    {
      offset: 0,
      timestampMs: NOW_MS,
      key: 'bytes',
      value: 'v',
      headers: { 'svc-schema-id': 'clickstream', 'a-ß': 'ü€😀' },
    },
    { offset: 1, timestampMs: NOW_MS, key: 'text ä', value: '', headers: { raw: 'x' } },
  ])
})

test.each([0, 1, 63, 64, 65, 8_191, 8_192, 8_193, 1_048_575, 1_048_576, 2_000_000])(
  'a value and a key of %i bytes keep their bytes',
  (bytes) => {
    const text = 'z'.repeat(bytes)
    const [only] = roundTrip([record({ key: text, value: Buffer.from(text) })])
    expect(only?.value === text && only.key === text).toBe(true)
  },
)

test('times may go back and far apart within a batch, and the newest is noted', () => {
  const times = [NOW_MS, NOW_MS - 1, NOW_MS + 5_000_000_000, 0, NOW_MS - 70, NOW_MS + 64]
  const records = times.map((timestampMs) => record({ timestampMs }))

  expect(roundTrip(records).map(({ timestampMs }) => timestampMs)).toEqual(times)
  const batch = readBatch(write(records))
  expect(batch.maxTimestamp).toBe(BigInt(NOW_MS + 5_000_000_000))
})

test('records before the first one wanted are left out, and offsets count from it', () => {
  const records = ['a', 'b', 'c', 'd'].map((text) => record({ value: Buffer.from(text) }))

  const written = roundTrip(records, 2)

  expect(written.map(({ offset, value }) => [offset, value])).toEqual([
    [0, 'c'],
    [1, 'd'],
  ])
})

test('thousands of records come back in order, with as many offsets', () => {
  const records = Array.from({ length: 9_000 }, (_, i) => record({ value: Buffer.from(`v${i}`) }))

  const written = roundTrip(records)

  expect(written.map(({ value }) => value)).toEqual(records.map(({ value }) => String(value)))
  expect(written.at(-1)?.offset).toBe(8_999)
})

test('the batch names no producer, and its checksum covers everything after itself', () => {
  const bytes = write([record({}), record({})])
  const batch = readBatch(bytes)

  expect(batch.producerId).toBe(-1n)
  expect(batch.lastOffsetDelta).toBe(1)
  expect(bytes.readInt32BE(8)).toBe(bytes.length - 12)
  expect(bytes.readUInt32BE(17)).toBe(crc32c(bytes, 21, bytes.length))
})

test('a tombstone has no value, and a record without a key has none', () => {
  const sized = [
    { key: 'k', value: null, headers: {}, timestampMs: NOW_MS },
    { key: null, value: 'text', headers: {}, timestampMs: NOW_MS },
  ].map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))

  const { records } = readBatch(packBatch(sized, 0))

  expect(records.map(({ key, value }) => [key, value])).toEqual([
    ['k', undefined],
    [undefined, 'text'],
  ])
})

test.each([
  ['none', 0],
  ['gzip', 1],
  ['snappy', 2],
  ['lz4', 3],
  ['zstd', 4],
] as const)('a batch compressed by %s says so, and is shorter', (compression, codec) => {
  const sized = Array.from({ length: 100 }, () =>
    record({ value: Buffer.from('v'.repeat(50)) }),
  ).map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))
  const plain = packBatch(sized, 0)
  const packed = packBatch(sized, 0, { compression })

  expect(packed.readInt16BE(21)).toBe(codec)
  expect(packed.readInt32BE(57)).toBe(100)
  expect(packed.readInt32BE(8)).toBe(packed.length - 12)
  expect(crc32c(packed, 21, packed.length)).toBe(packed.readUInt32BE(17))
  expect(packed.length).toBeLessThan(codec === 0 ? plain.length + 1 : plain.length / 2)
  expect(packBatch(sized, 0, { compression })).toEqual(packed)
})

test('records that were encoded before make the same batch', () => {
  const records = ['a', 'b'].map((text, at) =>
    record({ value: Buffer.from(text), headers: { h: text }, timestampMs: NOW_MS + at }),
  )
  const producer = { id: 4n, epoch: 7, sequence: 12 }
  const sized = records.map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))

  expect(packBatch(records.map(encodeRecord), 0, { producer })).toEqual(
    packBatch(sized, 0, { producer }),
  )
  expect(() => encodeRecord(record({ timestampMs: 0.5 }))).toThrow(TypeError)
})

test('a batch that compression would make longer stays as it is', () => {
  const sized = [record({ value: randomBytes(1_000) })].map((one) => ({
    record: one,
    bodyBytes: bodyBytesOf(one),
  }))
  expect(packBatch(sized, 0, { compression: 'lz4' })).toEqual(packBatch(sized, 0))
})

test.each([true, false])(
  'a batch of a producer says whose it is, where it belongs in his sequence, and whether in a transaction: %p',
  (isTransactional) => {
    const sized = [record({})].map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))
    const producer = { id: 4_000_000_001n, epoch: 7, sequence: 12, isTransactional }
    const packed = packBatch(sized, 0, { producer })

    expect(readBatch(packed)).toMatchObject({
      inTransaction: isTransactional,
      producerId: 4_000_000_001n,
      producerEpoch: 7,
      firstSequence: 12,
    })
    expect(crc32c(packed, 21, packed.length)).toBe(packed.readUInt32BE(17))
  },
)
