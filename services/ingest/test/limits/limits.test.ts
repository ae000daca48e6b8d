// How many events a stream may send, computed from this replica's counters and the other replicas' reports.
import { describe, expect, test } from '@jest/globals'
import { monthCountValue } from '@weir/control-state'
import { hasCode } from '@weir/kit'
import { createLimits } from '../../src/limits/limits.ts'
import { createMonthCounts } from '../../src/limits/month-counts.ts'
import { createRates } from '../../src/limits/rates.ts'
import { createUsage } from '../../src/limits/usage.ts'
import { inputStream } from '../support/records.ts'

const nowMs = Date.UTC(2026, 10, 21)

function setUp({ eventRate = '1000', eventCount = '3' } = {}) {
  const counts = createMonthCounts('own')
  const usage = createUsage('own')
  const limits = createLimits({ rates: createRates(nowMs), usage, counts })
  const stream = { ...inputStream(), limits: { eventRate, eventCount } }
  const say = (replica: string, events: number, month = '2026-11'): void =>
    counts.apply({
      key: `${stream.streamId}/${replica}`,
      value: monthCountValue({ month, events }),
    })
  const codeOf = (work: () => void): string => {
    try {
      work()
      return 'taken'
    } catch (error) {
      return hasCode(error) ? error.code : 'something else'
    }
  }
  return {
    limits,
    stream,
    counts,
    say,
    admit: (atMs = nowMs) => codeOf(() => limits.admit(stream, atMs)),
    store: (atMs = nowMs) => codeOf(() => limits.reserve(stream, atMs, 1)),
  }
}

describe('eventCount', () => {
  test('is how many may be stored in a month, whoever stores them', () => {
    const { admit, store, say } = setUp()
    say('a', 1)
    say('b', 1)
    expect([admit(), store()]).toEqual(['taken', 'taken'])
    expect([admit(), store()]).toEqual(['event_count_used_up', 'event_count_used_up'])
  })

  test('does not count what was not stored after all', () => {
    const { limits, stream, store } = setUp({ eventCount: '1' })
    expect([store(), store()]).toEqual(['taken', 'event_count_used_up'])
    limits.release(stream, nowMs, 1)
    expect(store()).toBe('taken')
  })

  test('hears of a replica twice without counting twice', () => {
    const { store, say } = setUp()
    for (const events of [1, 2, 2, 2]) say('a', events)
    expect([store(), store()]).toEqual(['taken', 'event_count_used_up'])
  })

  test('does not count its own records a second time', () => {
    const { store, say } = setUp({ eventCount: '2' })
    expect(store()).toBe('taken')
    say('own', 1)
    expect(store()).toBe('taken')
  })

  test('forgets the counts of the month before, however late they come', () => {
    const { store, say } = setUp()
    say('a', 3, '2026-10')
    expect(store()).toBe('taken')
    say('a', 1)
    say('b', 3, '2026-10')
    expect([store(), store()]).toEqual(['taken', 'event_count_used_up'])
  })

  test('gives back what a tombstone takes away', () => {
    const { store, say, counts, stream } = setUp({ eventCount: '2' })
    say('a', 2)
    expect(store()).toBe('event_count_used_up')
    counts.apply({ key: `${stream.streamId}/a`, value: null })
    expect(store()).toBe('taken')
  })

  test('starts anew when the counts are read anew', () => {
    const { store, say, counts } = setUp({ eventCount: '2' })
    say('a', 2)
    counts.clear()
    say('a', 1)
    expect([store(), store()]).toEqual(['taken', 'event_count_used_up'])
  })
})

describe('eventRate', () => {
  test('is how many requests a second are taken, with a burst of one second', () => {
    const { admit } = setUp({ eventRate: '2' })
    expect([admit(), admit(), admit()]).toEqual(['taken', 'taken', 'event_rate_exceeded'])
    expect([admit(nowMs + 500), admit(nowMs + 500)]).toEqual(['taken', 'event_rate_exceeded'])
  })

  test('is not asked for what the month refuses', () => {
    const { admit, say } = setUp({ eventRate: '1', eventCount: '3' })
    say('a', 3)
    expect(admit()).toBe('event_count_used_up')
    say('a', 2)
    expect(admit()).toBe('taken')
  })
})
