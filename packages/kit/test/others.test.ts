import { expect, test } from '@jest/globals'
import { createOthers } from '../src/index.ts'

test('others are who was served within the last second, whoever it was', () => {
  let nowMs = 0
  const others = createOthers(() => nowMs)
  expect(others.areBeside('a')).toBe(false)
  others.served('a')
  expect([others.areBeside('a'), others.areBeside('b')]).toEqual([false, true])
  others.served('b')
  nowMs = 600
  others.served('a')
  others.served('a')
  expect([others.areBeside('a'), others.areBeside('b')]).toEqual([true, true])
  nowMs = 1_100
  expect([others.areBeside('a'), others.areBeside('b')]).toEqual([false, true])
  nowMs = 1_600
  expect([others.areBeside('a'), others.areBeside('b')]).toEqual([false, false])
})
