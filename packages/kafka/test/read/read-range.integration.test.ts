import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin } from '../../src/admin/admin.ts'
import { createRangeReader } from '../../src/read/read-range.ts'
import type { RangeReader } from '../../src/read/read-range.ts'
import { createTransactor } from '../../src/fence/transactor.ts'
import {
  closeWriters,
  connect,
  deleteTopicsMade,
  makeTopic,
  uniqueName,
  writeTo,
} from '../support.ts'

let admin: Admin
let reader: RangeReader

beforeAll(() => {
  const kafka = connect()
  admin = createAdmin(kafka)
  reader = createRangeReader(kafka)
})

afterAll(async () => {
  await reader.close()
  await closeWriters()
  await deleteTopicsMade(admin)
  await admin.close()
})

async function textsIn(topic: string, from: bigint, to: bigint): Promise<string[]> {
  const texts: string[] = []
  await reader.read({ topic, partition: 0, from, to }, (records) => {
    for (const { value } of records) texts.push(String(value))
  })
  return texts
}

test('a range is read whole, and nothing before or after it', async () => {
  const topic = await makeTopic(admin, 'range', 1)
  const values = Array.from({ length: 50 }, (_, index) => `v${index}`)
  for (const value of values) await writeTo(topic, { value, partition: 0 })

  expect(await textsIn(topic, 0n, 50n)).toEqual(values)
  expect(await textsIn(topic, 10n, 12n)).toEqual(['v10', 'v11'])
  expect(await textsIn(topic, 50n, 50n)).toEqual([])
})

test('a range larger than one fetch comes in pieces', async () => {
  const topic = await makeTopic(admin, 'range-large', 1)
  const value = 'x'.repeat(500_000)
  for (let index = 0; index < 12; index += 1) await writeTo(topic, { value, partition: 0 })
  const pieces: number[] = []

  await reader.read({ topic, partition: 0, from: 0n, to: 12n }, (records) => {
    pieces.push(records.length)
  })

  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.reduce((sum, count) => sum + count, 0)).toBe(12)
})

test('what was aborted is not in it', async () => {
  const kafka = connect()
  const topic = await makeTopic(admin, 'range-aborted', 1)
  const transactor = createTransactor(kafka, {
    transactionalId: uniqueName('range'),
    timeoutMs: 10_000,
  })
  await transactor.fence()
  const give = (value: string, fails: boolean) =>
    transactor.transaction(async (tx) => {
      await tx.send([{ topic, partition: 0, key: null, value }])
      if (fails) throw new Error('aborted')
    })
  await give('one', false)
  await expect(give('two', true)).rejects.toThrow('aborted')
  await give('three', false)
  await transactor.close()
  const [to = 0n] = await admin.offsets.ends(topic, { isolation: 'read_committed' })

  expect(await textsIn(topic, 0n, to)).toEqual(['one', 'three'])
})

test('the offsets of a time are those of the first records at or after it', async () => {
  const topic = await makeTopic(admin, 'range-times', 2)
  for (const ms of [1_000, 2_000, 3_000])
    await writeTo(topic, { value: String(ms), partition: 0, timestamp: String(ms) })

  for (const ms of [-1, 0]) expect(await admin.offsets.at(topic, ms)).toEqual([0n, 0n])
  expect(await admin.offsets.at(topic, 2_000)).toEqual([1n, 0n])
  expect(await admin.offsets.at(topic, 2_001)).toEqual([2n, 0n])
  expect(await admin.offsets.at(topic, 3_001)).toEqual([3n, 0n])
})
