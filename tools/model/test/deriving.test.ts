// In every order of steps, no event is lost, duplicated or out of order, and no decrypted value is stored after the
// erasure is applied. The search finds each mistake that is put into the model.
import { expect, test } from '@jest/globals'

import { derivingModel, exploreAll, exploreSome, mistakes } from '../src/index.ts'
import type { Bounds } from '../src/index.ts'

const isFull = process.env['WEIR_TEST_SCALE'] === 'full'

const small: Bounds = {
  events: ['passes', 'dead', 'passes'],
  acquisitions: 2,
  crashes: 1,
  lostAnswers: 1,
  leftOut: 1,
  notes: 1,
  erasures: 1,
}
const large: Bounds = {
  events: ['passes', 'dead', 'passes', 'passes', 'dead', 'dead', 'passes', 'passes'],
  acquisitions: 8,
  crashes: 4,
  lostAnswers: 6,
  leftOut: 3,
  notes: 4,
  erasures: 1,
}

const threeAcquisitions = (...events: Bounds['events']): Bounds => ({
  ...small,
  events,
  acquisitions: 3,
  notes: 0,
})
/** At full scale the searches take minutes, because the last one has five million states. */
const searched: Bounds[] = isFull
  ? [
      small,
      threeAcquisitions('dead', 'passes', 'dead'),
      threeAcquisitions('passes', 'passes', 'dead', 'passes'),
    ]
  : [small]

test.each(searched)(
  'all states of $events with $acquisitions acquisitions are right',
  (bounds) => {
    const { states, violation } = exploreAll(derivingModel(bounds), 10_000_000)
    expect(violation).toBeUndefined()
    expect(states).toBeGreaterThan(100_000)
  },
  900_000,
)

test.each([1, 2, 3])(
  'random walks in large bounds, seed %i, are right',
  (seed) => {
    const { states, violation } = exploreSome(derivingModel(large), {
      walks: isFull ? 100_000 : 2_000,
      seed,
    })
    expect(violation).toBeUndefined()
    expect(states).toBeGreaterThan(10_000)
  },
  900_000,
)

test.each(mistakes)('a mistake is found: %s', (mistake) => {
  const leftOut = mistake === 'no marker is read back' ? 1 : 0
  const { violation } = exploreAll(derivingModel({ ...small, leftOut }, mistake), 1_000_000)
  expect(violation?.what).toMatch(/instead of|are derived|stored decrypted/)
  expect(violation?.steps.length).toBeGreaterThan(3)
})

test('the same seed walks the same way', () => {
  const walk = () => exploreSome(derivingModel(large), { walks: 20, seed: 5 })
  expect(walk()).toEqual(walk())
})

test('a search that is not complete proves nothing', () => {
  expect(() => exploreAll(derivingModel(small), 1_000)).toThrow('more than 1000 states')
})
