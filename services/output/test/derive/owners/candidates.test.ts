// Which replicas share partitions, depending on the heartbeats that one replica has read, and on its clocks.
import { expect, test } from '@jest/globals'
import type { KnownReplica } from '@weir/control-state'
import { candidatesIn } from '../../../src/derive/owners/candidates.ts'

type Written = {
  readonly heardMs?: number
  readonly heardUptimeMs?: number
  readonly writtenMs?: number
  readonly isPast?: boolean
}

const nowMs = 100_000

function replica(id: string, beat: Partial<KnownReplica['beat']>, when: Written): KnownReplica {
  const { heardMs = nowMs, heardUptimeMs = heardMs, writtenMs = heardMs, isPast = false } = when
  const sent = { sentMs: 0, uptimeMs: 0, spanMs: 1_000 }
  const read = { control: '0', keys: '0', streams: {} }
  return {
    id,
    beat: { service: 'output', ...sent, ...read, derives: ['default'], ...beat },
    heardMs,
    heardUptimeMs,
    writtenMs,
    isPast,
    freshMs: heardMs,
  }
}

const self = replica('self', {}, {})
/** Returns the lease of a replica that has read its own heartbeats without a gap for `ms`. */
const leaseOf = (ms: number, renewedMs = nowMs) => {
  const instant = (at: number) => ({ wallMs: at, uptimeMs: at })
  return { since: instant(renewedMs - ms), renewed: instant(renewedMs) }
}
const at = { wallMs: nowMs, uptimeMs: nowMs }
const settled = { self: 'self', lease: leaseOf(60_000), at }
const justBegun = { self: 'self', lease: leaseOf(2_000), at }

const idsFor = (
  others: readonly KnownReplica[],
  reader: Parameters<typeof candidatesIn>[1] = settled,
): readonly string[] => candidatesIn([self, ...others], reader).get('default') ?? []

test('those of output that are ready for a decrypterName share it', () => {
  const known = [
    replica('both', { derives: ['default', 'eu', 'eu'] }, {}),
    replica('not ready', { derives: [] }, {}),
    replica('ingest', { service: 'ingest' }, {}),
  ]
  const candidates = candidatesIn([self, ...known], settled)
  expect([...candidates]).toEqual([
    ['default', ['self', 'both']],
    ['eu', ['both']],
  ])
})

test('who lacks a wrapping key shares only what nobody has all of them for', () => {
  const known = [
    replica('sealed', { sealedRings: 1, derives: ['default', 'eu'] }, {}),
    replica('also sealed', { sealedRings: 2, derives: ['eu'] }, {}),
  ]
  expect([...candidatesIn([self, ...known], settled)]).toEqual([
    ['default', ['self']],
    ['eu', ['sealed', 'also sealed']],
  ])
})

test('who leaves goes at once, oneself too', () => {
  expect(idsFor([replica('a', { leaving: true }, {})])).toEqual(['self'])
  const left = [replica('self', { leaving: true }, {}), replica('a', {}, {})]
  expect(candidatesIn(left, settled).size).toBe(0)
})

test('who was not heard for 10 s goes', () => {
  expect(idsFor([replica('a', {}, { heardMs: nowMs - 10_000 })])).toEqual(['self', 'a'])
  expect(idsFor([replica('a', {}, { heardMs: nowMs - 10_001 })])).toEqual(['self'])
})

test('neither clock alone keeps a silent one', () => {
  const wall = { heardMs: nowMs - 11_000, heardUptimeMs: nowMs - 1, writtenMs: nowMs - 11_000 }
  const uptime = { heardMs: nowMs + 3_600_000, heardUptimeMs: nowMs - 11_000 }
  expect(idsFor([replica('a', {}, wall)])).toEqual(['self'])
  expect(idsFor([replica('a', {}, { ...uptime, writtenMs: nowMs - 11_000 })])).toEqual(['self'])
})

test("this replica's clocks may jump: who writes when it writes is alive", () => {
  const jumped = { heardMs: nowMs - 3_600_000, writtenMs: nowMs - 900 }
  expect(idsFor([replica('a', {}, jumped)])).toEqual(['self', 'a'])
})

test("the broker's clock may jump: who was heard of just now is alive", () => {
  for (const byMs of [-3_600_000, 3_600_000])
    expect(idsFor([replica('a', {}, { heardMs: nowMs - 900, writtenMs: nowMs + byMs })])).toEqual([
      'self',
      'a',
    ])
})

test('what was there before counts by when it was written, not by when it was read', () => {
  const past = (ageMs: number) => replica('a', {}, { writtenMs: nowMs - ageMs, isPast: true })
  expect(idsFor([past(10_000)])).toEqual(['self', 'a'])
  expect(idsFor([past(10_001)])).toEqual(['self'])
})

test('who was silent while nobody could be heard has 5 s to speak', () => {
  const silent = replica('a', {}, { heardMs: nowMs - 300_000 })
  const past = (ageMs: number) => replica('a', {}, { writtenMs: nowMs - ageMs, isPast: true })
  expect(idsFor([silent], justBegun)).toEqual(['self', 'a'])
  expect(idsFor([silent], { ...justBegun, lease: leaseOf(5_000) })).toEqual(['self'])
  expect(idsFor([past(60_000)], justBegun)).toEqual(['self', 'a'])
  expect(idsFor([past(60_001)], justBegun)).toEqual(['self'])
})

test('without an own heartbeat there is nobody', () => {
  expect(candidatesIn([replica('a', {}, {})], settled).size).toBe(0)
})
