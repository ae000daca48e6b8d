import { expect, test } from '@jest/globals'
import Decoder from 'kafkajs/src/protocol/decoder.js'
import decodeBatch from 'kafkajs/src/protocol/recordBatch/v0/decoder.js'

import { crc32c } from '../../src/protocol/crc32c.ts'
import { batchBytesMaxOf, bodyBytesOf, writeBatch } from '../../src/protocol/record-batch.ts'
import type { ProduceRecord } from '../../src/protocol/record-batch.ts'

const NOW_MS = 1_790_000_000_123

function record(changes: Partial<ProduceRecord>): ProduceRecord {
  return { key: 'k', value: Buffer.from('v'), headers: {}, timestampMs: NOW_MS, ...changes }
}

function write(records: readonly ProduceRecord[], from = 0): Buffer {
  const sized = records.map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))
  const buffer = Buffer.alloc(5 + batchBytesMaxOf(sized, from), 0xee)
  const end = writeBatch(buffer, 5, sized, from)
  return buffer.subarray(5, end)
}

async function roundTrip(records: readonly ProduceRecord[], from = 0) {
  const batch = await decodeBatch(new Decoder(write(records, from)))
  return batch.records.map(({ offset, timestamp, key, value, headers }) => ({
    offset: Number(offset),
    timestampMs: Number(timestamp),
    key: key?.toString(),
    value: value?.toString(),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, String(text)]),
    ),
  }))
}

test('a record comes back with its key, value, headers and time', async () => {
  const records = [
    record({
      key: Buffer.from('bytes'),
      headers: { 'svc-schema-id': 'clickstream', 'a-ß': 'ü€😀' },
    }),
    record({ key: 'text ä', value: Buffer.alloc(0), headers: { raw: Buffer.from('x') } }),
  ]

  expect(await roundTrip(records)).toEqual([
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
  async (bytes) => {
    const text = 'z'.repeat(bytes)
    const [only] = await roundTrip([record({ key: text, value: Buffer.from(text) })])
    expect(only?.value === text && only.key === text).toBe(true)
  },
)

test('times may go back and far apart within a batch, and the newest is noted', async () => {
  const times = [NOW_MS, NOW_MS - 1, NOW_MS + 5_000_000_000, 0, NOW_MS - 70, NOW_MS + 64]
  const records = times.map((timestampMs) => record({ timestampMs }))

  expect((await roundTrip(records)).map(({ timestampMs }) => timestampMs)).toEqual(times)
  const batch = await decodeBatch(new Decoder(write(records)))
  expect(batch.maxTimestamp).toBe(String(NOW_MS + 5_000_000_000))
})

test('records before the first one wanted are left out, and offsets count from it', async () => {
  const records = ['a', 'b', 'c', 'd'].map((text) => record({ value: Buffer.from(text) }))

  const written = await roundTrip(records, 2)

  expect(written.map(({ offset, value }) => [offset, value])).toEqual([
    [0, 'c'],
    [1, 'd'],
  ])
})

test('thousands of records come back in order, with as many offsets', async () => {
  const records = Array.from({ length: 9_000 }, (_, i) => record({ value: Buffer.from(`v${i}`) }))

  const written = await roundTrip(records)

  expect(written.map(({ value }) => value)).toEqual(records.map(({ value }) => String(value)))
  expect(written.at(-1)?.offset).toBe(8_999)
})

test('the batch names no producer, and its checksum covers everything after itself', async () => {
  const bytes = write([record({}), record({})])
  const batch = await decodeBatch(new Decoder(bytes))

  expect(batch.producerId).toBe('-1')
  expect(batch.lastOffsetDelta).toBe(1)
  expect(bytes.readInt32BE(8)).toBe(bytes.length - 12)
  expect(bytes.readUInt32BE(17)).toBe(crc32c(bytes, 21, bytes.length))
})

test('a tombstone has no value, and a record without a key has none', async () => {
  const sized = [
    { key: 'k', value: null, headers: {}, timestampMs: NOW_MS },
    { key: null, value: 'text', headers: {}, timestampMs: NOW_MS },
  ].map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))
  const buffer = Buffer.alloc(batchBytesMaxOf(sized, 0))
  const end = writeBatch(buffer, 0, sized, 0)

  const { records } = await decodeBatch(new Decoder(buffer.subarray(0, end)))

  expect(records.map(({ key, value }) => [key?.toString(), value?.toString()])).toEqual([
    ['k', undefined],
    [undefined, 'text'],
  ])
})

test('a batch of a transaction says whose it is, and where it belongs in his sequence', async () => {
  const sized = [record({})].map((one) => ({ record: one, bodyBytes: bodyBytesOf(one) }))
  const buffer = Buffer.alloc(batchBytesMaxOf(sized, 0))
  const end = writeBatch(buffer, 0, sized, 0, { id: 4_000_000_001n, epoch: 7, sequence: 12 })

  const batch = await decodeBatch(new Decoder(buffer.subarray(0, end)))

  expect(batch).toMatchObject({
    inTransaction: true,
    producerId: '4000000001',
    producerEpoch: 7,
    firstSequence: 12,
  })
  expect(crc32c(buffer, 21, end)).toBe(buffer.readUInt32BE(17))
})
