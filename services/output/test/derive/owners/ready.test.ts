// The decrypterNames that a heartbeat declares.
import { expect, test } from '@jest/globals'
import { readyNames } from '../../../src/derive/owners/ready.ts'

test.each([
  ['fresh control state', true, ['default', 'eu']],
  ['stale control state', false, undefined],
] as const)('with %s', (_name, isFresh, expected) => {
  const follower = { isFresh: () => isFresh }
  expect(readyNames({ follower, decrypterNames: ['default', 'eu'] })()).toEqual(expected)
})
