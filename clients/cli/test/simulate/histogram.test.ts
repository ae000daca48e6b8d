// Percentiles of times, in constant memory.
import { expect, test } from '@jest/globals'
import { createHistogram } from '../../src/simulate/histogram.ts'

test.each([0.5, 0.95, 0.99, 1])('percentile %d is within 2 %% of the exact one', (share) => {
  const histogram = createHistogram()
  for (let i = 1; i <= 10_000; i += 1) histogram.add(i / 10)
  const exact = (10_000 * share) / 10
  expect(Math.abs(histogram.percentile(share) / exact - 1)).toBeLessThan(0.02)
  expect(histogram.count()).toBe(10_000)
})

test('nothing was measured, or something without end', () => {
  const histogram = createHistogram()
  expect(histogram.percentile(0.99)).toBe(0)
  histogram.add(0)
  histogram.add(Infinity)
  expect(histogram.percentile(0.5)).toBeLessThan(0.011)
  expect(histogram.percentile(1)).toBeGreaterThan(1e6)
})
