import { expect, test } from '@jest/globals'
import { createMetrics } from '@weir/kit'
import type { ErasureRecord, StreamRecord } from '@weir/control-state'
import { createAuthMetrics } from '../src/metrics.ts'
import { pendingIn } from '../src/control/pending.ts'
import type { PendingTables } from '../src/control/pending.ts'

const nowMs = 10_000_000
const bounds = { ERASURES_MAX: 10, ACCOUNT_KEY_BYTES_MAX: 100, KEY_BYTES_MAX: 200 }
const erasure = (acceptedAtMs: number, more: Partial<ErasureRecord> = {}): ErasureRecord => ({
  type: 'erasure',
  as: ['key_field'],
  found: { values: 0, events: 0, by: [], searchedAtMs: 0 },
  erasureId: String(acceptedAtMs),
  billingId: 'acme',
  streamId: 's',
  subjects: [],
  counted: 0,
  terms: [],
  levels: [],
  pieces: 1,
  keks: [],
  acceptedAtMs,
  ...more,
})

function linesOf(pendingErasures: ErasureRecord[], keysLentUntilMs = 0) {
  const tables: PendingTables = {
    streams: () => [].values(),
    streamsOf: () => [{ kind: 'input', streamId: 's', keysLentUntilMs } as StreamRecord],
    pendingErasures: () => pendingErasures,
    erasedValues: () => new Map(),
  }
  const registry = createMetrics('auth')
  createAuthMetrics(
    registry,
    pendingIn({ tables, keyStore: { bytes: () => 50 } }, bounds, () => nowMs),
  )
  return async (name: string): Promise<(string | undefined)[][]> =>
    (await registry.metrics())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`))
      .map((line) => /\{([^,]+).* (\d+)$/.exec(line)?.slice(1) ?? [])
}

test('the oldest erasure that is not applied, and the oldest that is not complete, are told in seconds', async () => {
  const lines = linesOf([
    erasure(nowMs - 5_000),
    erasure(nowMs - 90_000),
    erasure(nowMs - 7_200_000, { appliedAtMs: nowMs - 7_199_000 }),
  ])
  expect(await lines('svc_auth_erasures_oldest_seconds')).toEqual([
    ['state="accepted"', '90'],
    ['state="applied"', '7200'],
  ])
  expect(await lines('svc_auth_erasures_pending')).toEqual([
    ['state="accepted"', '2'],
    ['state="applied"', '1'],
  ])
})

test('an erasure that only waits for the keys of readers is not old, until these keys have ended', async () => {
  const heard = erasure(nowMs - 900_000, { heardAtMs: nowMs - 899_000 })
  const oldest = async (keysLentUntilMs: number): Promise<string | undefined> =>
    (await linesOf([heard], keysLentUntilMs)('svc_auth_erasures_oldest_seconds'))[0]?.[1]
  expect(await oldest(nowMs + 60_000)).toBe('0')
  expect(await oldest(nowMs - 30_000)).toBe('30')
  expect(await oldest(0)).toBe('899')
})

test('every counter but that of requests is there from the start, with 0', async () => {
  const registry = createMetrics('auth')
  const tables: PendingTables = {
    streams: () => [].values(),
    streamsOf: () => [],
    pendingErasures: () => [],
    erasedValues: () => new Map(),
  }
  createAuthMetrics(
    registry,
    pendingIn({ tables, keyStore: { bytes: () => 50 } }, bounds, () => nowMs),
  )
  const text = await registry.metrics()
  const counters = [...text.matchAll(/^# TYPE (svc_\w+) counter$/gm)].map(([, name]) =>
    String(name),
  )
  const missing = counters.filter((name) => !new RegExp(`^${name}(\\{.*\\})? 0$`, 'm').test(text))
  expect(missing).toEqual(['svc_auth_requests_total'])
})

test('without erasures it is 0, and changes are there from the start, with 0', async () => {
  const lines = linesOf([])
  const values = async (name: string) => (await lines(name)).map(([, value]) => value)
  expect(await values('svc_auth_erasures_oldest_seconds')).toEqual(['0', '0'])
  expect(await lines('svc_auth_changes_total')).toEqual([
    ['outcome="done"', '0'],
    ['outcome="refused"', '0'],
    ['outcome="failed"', '0'],
  ])
})

test('the share that is used most of any bound on erasures is told', async () => {
  const share = (erased: number, streamBytes: number, allBytes: number): number =>
    pendingIn(
      {
        tables: {
          streams: () => [{ billingId: 'acme', streamId: 's' } as StreamRecord].values(),
          streamsOf: () => [],
          pendingErasures: () => [],
          erasedValues: () => new Map([['acme', erased]]),
        },
        keyStore: { bytes: (stream) => (stream === undefined ? allBytes : streamBytes) },
      },
      bounds,
    ).erasuresShare()
  expect([share(9, 50, 50), share(1, 80, 80), share(1, 20, 190)]).toEqual([0.9, 0.8, 0.95])
})
