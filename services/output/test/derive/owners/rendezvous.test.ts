// All replicas compute the same owners. Partitions are evenly distributed, and few change their owner.
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createRendezvous } from '../../../src/derive/owners/rendezvous.ts'

const idsOf = (count: number): string[] => Array.from({ length: count }, () => randomUUID())
const keysOf = (streams: number, partitions: number): string[] =>
  idsOf(streams).flatMap((id) =>
    Array.from({ length: partitions }, (_, partition) => `${id}/${partition}/default`),
  )

test('no release changes the hash: replicas of two releases must agree', () => {
  const ids = ['00000001-1b9d-4d2d-9b5d-ab8dfbbd4bed', '00000002-1b9d-4d2d-9b5d-ab8dfbbd4bed', 'c']
  const ownerOf = createRendezvous(ids)
  const keys = [
    'a/0/default',
    'a/1/default',
    'a/2/default',
    'b/0/default',
    'b/0/eu',
    'c/7/ü',
    'd/1/default',
    'e/0/default',
  ]
  expect(keys.map((key) => ids.indexOf(ownerOf(key) ?? ''))).toEqual([1, 2, 0, 2, 2, 1, 2, 2])
})

test('the order of the ids does not matter', () => {
  const ids = idsOf(7)
  const shuffled = [...ids.slice(3).toReversed(), ...ids.slice(0, 3)]
  const [ownerOf, again] = [createRendezvous(ids), createRendezvous(shuffled)]
  const keys = keysOf(20, 10)
  expect(keys.map(again)).toEqual(keys.map(ownerOf))
})

test('without replicas there is no owner, and one alone owns all', () => {
  expect(createRendezvous([])('a')).toBeUndefined()
  expect(createRendezvous(['only'])('a')).toBe('only')
})

test.each([
  ['100 streams of 30 partitions', 100, 30],
  ['3,000 streams of one partition', 3_000, 1],
  ['one stream of 3,000 partitions', 1, 3_000],
])('each of ten replicas owns about a tenth: %s', (_name, streams, partitions) => {
  const [ids, keys] = [idsOf(10), keysOf(streams, partitions)]
  const owners = keys.map(createRendezvous(ids))
  for (const id of ids) {
    const count = owners.filter((owner) => owner === id).length
    // The average is 300, with a standard deviation of 16.
    expect(count).toBeGreaterThan(200)
    expect(count).toBeLessThan(400)
  }
})

test('one replica more takes only its share, and one that goes leaves only its own', () => {
  const [ids, keys] = [idsOf(9), keysOf(100, 30)]
  const newcomer = randomUUID()
  const [before, after] = [createRendezvous(ids), createRendezvous([...ids, newcomer])]
  const moved = keys.filter((key) => before(key) !== after(key))
  expect(moved.map(after)).toEqual(moved.map(() => newcomer))
  expect(moved.length).toBeGreaterThan(200)
  expect(moved.length).toBeLessThan(400)
})
