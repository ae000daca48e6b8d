import { expect, test } from '@jest/globals'
import { handOut, isUnread, pass } from '../../src/reading/places.ts'
import type { Place } from '../../src/reading/places.ts'

const placeOf = (from: bigint, end: bigint): Place => ({ partition: 0, from, end, next: from })

const batchOf = (...offsets: number[]) => ({
  partition: 0,
  messages: offsets.map((offset) => ({
    offset: String(offset),
    timestamp: '0',
    key: null,
    value: null,
  })),
})

async function handedOut(place: Place, ...offsets: number[]): Promise<bigint[]> {
  const seen: bigint[] = []
  const onRecord = ({ offset }: { offset: bigint }) => void seen.push(offset)
  await handOut(place, batchOf(...offsets), onRecord, () => false)
  return seen
}

test('a record is handed out once, and none after the end', async () => {
  const place = placeOf(2n, 6n)
  expect(await handedOut(place, 1, 2, 3)).toEqual([2n, 3n])
  expect(await handedOut(place, 2, 3, 4)).toEqual([4n])
  expect(await handedOut(place, 4, 5, 6, 7)).toEqual([5n])
  expect(isUnread(place)).toBe(false)
})

test('a place whose last offsets have no record is read when they are passed', async () => {
  const place = placeOf(0n, 10n)
  await handedOut(place, 0, 1)
  pass(place, 8n)
  expect([place.next, isUnread(place)]).toEqual([8n, true])
  pass(place, 20n)
  expect([place.next, isUnread(place)]).toEqual([10n, false])
  pass(place, 3n)
  expect(place.next).toBe(10n)
})

test('a record whose handler fails stays unread', async () => {
  const place = placeOf(0n, 3n)
  const fail = async ({ offset }: { offset: bigint }) => {
    if (offset === 1n) throw new Error('full')
  }
  await expect(handOut(place, batchOf(0, 1, 2), fail, () => false)).rejects.toThrow('full')
  expect(place.next).toBe(1n)
})

test('nothing is handed out after the end of reading', async () => {
  const place = placeOf(0n, 3n)
  let isEnded = false
  const end = () => {
    isEnded = true
  }
  await handOut(place, batchOf(0, 1, 2), end, () => isEnded)
  expect(place.next).toBe(1n)
})
