import { expect, test } from '@jest/globals'

import { AppError, hasCode } from '../src/index.ts'

test('hasCode is true for an AppError with one of the codes, and for any when none is given', () => {
  const error: unknown = new AppError('fenced', 'another writer took over')
  expect(hasCode(error, 'unavailable', 'fenced')).toBe(true)
  expect(hasCode(error, 'unavailable')).toBe(false)
  expect(hasCode(error)).toBe(true)
  expect(hasCode(Object.assign(new Error('x'), { code: 'fenced' }), 'fenced')).toBe(false)
})
