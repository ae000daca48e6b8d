// Tests the calculated steps, which bound the processor time of matching. steps-cost.test.ts measures that the bound is
// high enough.
import { describe, expect, test } from '@jest/globals'

import { matchCost, stepsFor, stepsMax } from '../../src/pattern/steps.ts'
import { chosenAlone } from './chosen-alone.ts'
import { hardToRe2, hardToV8 } from './hard-patterns.ts'

describe('what costs an engine most is reckoned at as much as was measured to suffice', () => {
  test.each(hardToRe2)('on re2js: %s', (pattern, _letters, perUnit) => {
    expect(matchCost(pattern, 're2').perUnit).toBe(perUnit)
  })
  test.each(hardToV8)('on V8: %s', (pattern, _letters, perUnit) => {
    expect(matchCost(pattern, 'v8').perUnit).toBeCloseTo(perUnit, 1)
  })
})

test('these patterns run on the engines that they are measured on', async () => {
  const choices = await chosenAlone(hardToV8.map(([pattern]) => pattern))
  expect(choices).toEqual(hardToV8.map(() => ({ engine: 'v8' })))
})

test('what is usual stays far from the bound', () => {
  const url = '^(https?|ftp|file)://[-a-zA-Z0-9+&@#/%?=~_|!:,.;]*[-a-zA-Z0-9+&@#/%=~_|]'
  expect(stepsFor(matchCost('^.+$', 'v8'), 1_000_000)).toBeLessThan(stepsMax)
  expect(stepsFor(matchCost(url, 'v8'), 100_000)).toBeLessThan(stepsMax)
  expect(stepsFor(matchCost('^[^@]+@[^@]+$', 'v8'), 500_000)).toBeLessThan(stepsMax)
  expect(stepsFor(matchCost('^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', 'v8'), 36)).toBeLessThan(
    200,
  )
  expect(stepsFor(matchCost('^(a+)+$', 're2'), 15_000)).toBeLessThan(stepsMax)
})
