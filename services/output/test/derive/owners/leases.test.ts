// How long this replica may own partitions, by both of its clocks.
import { expect, test } from '@jest/globals'
import { elapsedMs, isHeld, renew } from '../../../src/derive/owners/leases.ts'
import type { Instant } from '../../../src/derive/owners/leases.ts'

const at = (wallMs: number, uptimeMs = wallMs): Instant => ({ wallMs, uptimeMs })

test('it runs for 10 s from when the last heartbeat that was read back was sent', () => {
  const lease = renew(undefined, at(1_000))
  expect(isHeld(undefined, at(1_000))).toBe(false)
  expect(isHeld(lease, at(10_999))).toBe(true)
  expect(isHeld(lease, at(11_000))).toBe(false)
  expect(isHeld(renew(lease, at(2_000)), at(11_999))).toBe(true)
})

test('it ends although the monotonic clock stood still, or the wall clock was set back', () => {
  const lease = renew(undefined, at(1_000))
  expect(isHeld(lease, at(11_000, 1_001))).toBe(false)
  expect(isHeld(lease, at(-3_600_000, 11_000))).toBe(false)
  expect(elapsedMs(at(1_000), at(500, 1_300))).toBe(300)
})

test('what lay in a socket while the process stood still renews nothing', () => {
  const lease = renew(undefined, at(1_000))
  expect(isHeld(renew(lease, at(2_000)), at(62_000))).toBe(false)
  expect(isHeld(renew(lease, at(2_000)), at(62_000, 2_001))).toBe(false)
})

test('it goes on from heartbeat to heartbeat, and begins anew after a gap by either clock', () => {
  const lease = renew(renew(undefined, at(1_000)), at(10_000))
  expect(lease).toEqual({ since: at(1_000), renewed: at(10_000) })
  expect(renew(lease, at(20_000)).since).toEqual(at(20_000))
  expect(renew(lease, at(3_610_000, 11_000)).since).toEqual(at(3_610_000, 11_000))
})
