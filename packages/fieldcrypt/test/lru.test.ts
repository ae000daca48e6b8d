// A cache evicts the right entries, and wipes them.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createLru } from '../src/cache/lru.ts'

type Entry = { name: string; weight: number; wipe(): void }

function setUp(weightMax: number) {
  const wiped: string[] = []
  const lru = createLru<Entry>(weightMax)
  const put = (stream: string, name: string, weight = 1): Entry => {
    const entry = { name, weight, wipe: () => void wiped.push(name) }
    lru.put(stream, name, entry)
    return entry
  }
  return { lru, put, wiped }
}

describe('what was used longest ago goes first', () => {
  test('in the order of use, not of coming', () => {
    const { lru, put, wiped } = setUp(3)
    for (const stream of ['a', 'b', 'c']) put(stream, stream)
    lru.get('a', 'a')
    put('d', 'd')
    put('e', 'e')
    expect(wiped).toEqual(['b', 'c'])
    expect(lru.get('a', 'a')?.name).toBe('a')
    expect(lru.get('b', 'b')).toBeUndefined()
  })

  test('of the same stream, when a stream is over its half', () => {
    const { lru, put, wiped } = setUp(6)
    put('b', 'other')
    for (const name of ['one', 'two', 'three']) put('a', name)
    lru.get('a', 'one')
    put('a', 'four')
    expect(wiped).toEqual(['two'])
    expect(lru.weight()).toBe(4)
  })

  test('when an entry has grown', () => {
    const { lru, put, wiped } = setUp(6)
    put('a', 'one')
    const two = put('b', 'two')
    put('c', 'three')
    two.weight = 5
    lru.settle(two)
    expect(wiped).toEqual(['one'])
    expect(lru.weight()).toBe(6)
  })

  test('but never the entry in use, however heavy', () => {
    const { lru, put, wiped } = setUp(2)
    put('a', 'light')
    const heavy = put('b', 'heavy', 10)
    expect(wiped).toEqual(['light'])
    expect(lru.get('b', 'heavy')).toBe(heavy)
    put('c', 'next')
    expect(wiped).toEqual(['light', 'heavy'])
  })
})

test('an entry in the place of another wipes that one', () => {
  const { lru, put, wiped } = setUp(10)
  put('a', 'same')
  put('a', 'same')
  expect([wiped, lru.weight(), lru.entriesOf('a').length]).toEqual([['same'], 1, 1])
})

test('an entry that was removed is no longer counted, grow as it may', () => {
  const { lru, put } = setUp(10)
  const entry = put('a', 'one')
  lru.remove(entry)
  entry.weight = 7
  lru.settle(entry)
  lru.remove(entry)
  expect(lru.weight()).toBe(0)
})

test('the bounds hold and the weights add up, whatever is done', () => {
  const key = fc.constantFrom('k1', 'k2', 'k3', 'k4', 'k5')
  const action = fc.record({
    stream: fc.constantFrom('a', 'b', 'c'),
    key,
    weight: fc.integer({ min: 1, max: 3 }),
    what: fc.constantFrom('put', 'put', 'get', 'grow', 'remove'),
  })
  fc.assert(
    fc.property(fc.array(action), fc.integer({ min: 6, max: 12 }), (actions, weightMax) => {
      const { lru, put } = setUp(weightMax)
      for (const { stream, key: name, weight, what } of actions) {
        if (what === 'put') put(stream, name, weight)
        const entry = lru.get(stream, name)
        if (entry !== undefined && what === 'remove') lru.remove(entry)
        if (entry !== undefined && what === 'grow') {
          entry.weight = weight
          lru.settle(entry)
        }
        const weights = ['a', 'b', 'c'].map((each) =>
          lru.entriesOf(each).reduce((sum, { weight: own }) => sum + own, 0),
        )
        expect(lru.weight()).toBe(weights.reduce((sum, own) => sum + own, 0))
        expect(lru.weight()).toBeLessThanOrEqual(weightMax)
        for (const own of weights) expect(own).toBeLessThanOrEqual(Math.floor(weightMax / 2))
      }
    }),
  )
})
