// Kafka is unreachable for a while under load: once because it was killed, once because it was paused. Every event that
// got 204 is stored once, and nothing is stored twice. Every request gets a response in time, and ingest recovers
// without help, within its memory limit (docs/architecture.md 5; docs/operations.md, When Kafka is slow or gone).
import { beforeAll, describe, expect, test } from '@jest/globals'
import { measured, scale } from '@weir/testkit'
import { residentBytesMax } from '../support/memory.ts'
import { watchOutages } from '../support/outage.ts'
import type { Both, Outage, Seen } from '../support/outage.ts'

/** Longer than PRODUCE_TIMEOUT_MS, and longer than auth and ingest trust control state without Kafka. */
const outageMs = scale(30_000, 12_000)
/** The default of PRODUCE_TIMEOUT_MS, plus some room. */
const answeredWithinMs = measured(5_000 + 3_000)
/** The default of IN_FLIGHT_BYTES_MAX. */
const inFlightBytesMax = 32 * 1_048_576

const loads = {
  own: { connections: 4, streams: scale(50, 5) },
  node: { connections: 1, streams: scale(20, 5) },
}
const outages: readonly Outage[] = [
  {
    name: 'was killed and started again',
    lastsMs: outageMs,
    begin: (broker) => broker.killBroker(),
    end: (broker) => broker.restartBroker(),
  },
  {
    name: 'stood still',
    lastsMs: outageMs,
    begin: (broker) => broker.pauseBroker(),
    end: (broker) => broker.resumeBroker(),
  },
]

/** `npm test` runs only the first outage. */
const watched = outages.slice(0, scale(outages.length, 1))

let seenIn: ReadonlyMap<string, Both<Seen>>
beforeAll(async () => {
  seenIn = await watchOutages(watched, loads)
}, 240_000)

const cases = watched.flatMap(({ name }) => [[name, 'own'] as const, [name, 'node'] as const])

describe.each(cases)('after a broker that %s, with the HTTP/2 of %s', (name, http) => {
  let seen: Seen
  beforeAll(() => {
    const both = seenIn.get(name)
    if (both === undefined) throw new Error('there was no such outage')
    seen = both[http]
  })

  test('every answer was 204 or 503, both were given, and no request broke off', () => {
    expect(new Set(seen.answered.map(({ outcome }) => outcome))).toEqual(new Set([204, 503]))
  })

  test('each event answered 204 is stored once, and no other more than once', () => {
    const times = ({ mark }: { mark: string }): number => seen.timesStored.get(mark) ?? 0
    const accepted = seen.answered.filter(({ outcome }) => outcome === 204)
    expect(accepted.filter((event) => times(event) !== 1)).toEqual([])
    expect(seen.answered.filter((event) => times(event) > 1)).toEqual([])
    expect(seen.timesStored.size).toBeLessThanOrEqual(seen.answered.length)
  })

  test('nobody waited much longer than PRODUCE_TIMEOUT_MS, and nothing was accepted meanwhile', () => {
    const { answered, beganMs, endedMs } = seen
    expect(answered.filter(({ tookMs }) => tookMs > answeredWithinMs)).toEqual([])
    const isWithin = ({ sentMs, tookMs }: { sentMs: number; tookMs: number }): boolean =>
      sentMs > beganMs && sentMs + tookMs < endedMs
    const during = answered.filter(isWithin)
    expect(during.length).toBeGreaterThan(0)
    expect(during.filter(({ outcome }) => outcome !== 503)).toEqual([])
  })

  test('ingest never kept more than its bound, and stays ready without a restart', () => {
    expect(seen.peakBytes).toBeLessThan(measured(residentBytesMax))
    expect(seen.inFlightBytes).toBeGreaterThan(0)
    expect(seen.inFlightBytes).toBeLessThanOrEqual(inFlightBytesMax)
    expect(seen.health).toEqual(['[]'])
  })
})
