// The name that a user probably meant.
import { expect, test } from '@jest/globals'
import { nearest } from '../../src/input/nearest.ts'

test('of two that are as near, it is the longer one', () => {
  expect(nearest('demo1', ['demo', 'demo-1'])).toBe('demo-1')
})

test.each([
  ['dem', 'demo'],
  ['dmeo', 'demo'],
  ['clicks-markting', 'clicks-marketing'],
  ['acme.demo', 'demo'],
  ['team-a.acme.clicks-marketing', 'clicks-marketing'],
  ['orders', undefined],
  ['', undefined],
])('for %p it is %p', (typed, meant) => {
  expect(nearest(typed, ['demo', 'clicks-marketing'])).toBe(meant)
})
