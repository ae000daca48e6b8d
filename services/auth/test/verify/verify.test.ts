// What a check of a receipt returns in addition to the receipt.
import { expect, test } from '@jest/globals'
import { warningOf } from '../../src/verify/verify.ts'
import { erasureRecord } from '../control/erasure/erasure-record.ts'

const claims = { jti: '7a1e', streamId: 's', acceptedAt: '2026-11-20T10:00:00.000Z' }

test('a receipt of a request that a restore may have undone gets a warning, unless the request is known', () => {
  const atMs = Date.parse(claims.acceptedAt)
  const lost = { sinceMs: atMs - 1, untilMs: atMs + 1 }
  const restore = {
    type: 'restore',
    restoredAtMs: atMs,
    erasuresLost: [lost],
    subjectsLost: [],
  } as const
  const state = { restored: () => restore, erasure: () => undefined }
  expect(warningOf(state, claims)).toContain('this one is no longer known here')
  expect(warningOf({ ...state, erasure: () => erasureRecord({}) }, claims)).toBeUndefined()
  expect(warningOf(state, { ...claims, acceptedAt: '2026-11-20T09:00:00.000Z' })).toBeUndefined()
  expect(warningOf({ ...state, restored: () => undefined }, claims)).toBeUndefined()
})
