// How long a topic may contain a record, by the settings that Kafka reports.
import { describe, expect, test } from '@jest/globals'
import { keptFor } from '../../../src/control/erasure/clear-at.ts'
import { appliedBy, completeBy } from '../../../src/control/erasure/expected.ts'
import { slowestOf } from '../../../src/control/erasure/settings-reader.ts'
import { erasureRecord } from './erasure-record.ts'

const hourMs = 3_600_000
const topic = {
  'cleanup.policy': 'delete',
  'retention.ms': String(168 * hourMs),
  'retention.bytes': '-1',
  'segment.ms': String(24 * hourMs),
  'file.delete.delay.ms': '60000',
}
const broker = { 'log.retention.check.interval.ms': '300000' }

test('a record is kept for its retention, the rest of its segment, a check and the deletion of files', () => {
  expect(keptFor(topic, broker)).toEqual({ ms: 192 * hourMs + 300_000 + 60_000 })
})

describe('no time is told of a topic that', () => {
  test.each([
    ['keeps its records for ever', { 'retention.ms': '-1' }, 'for ever'],
    [
      'keeps them for longer than anybody counts',
      { 'retention.ms': '9223372036854775807' },
      'for ever',
    ],
    [
      'is limited only by size',
      { 'retention.ms': '-1', 'retention.bytes': '1000' },
      'only by size',
    ],
    ['is compacted', { 'cleanup.policy': 'compact' }, 'is compacted'],
    ['is in tiered storage', { 'remote.storage.enable': 'true' }, 'tiered storage'],
  ])('%s', (_, setting, why) => {
    expect(keptFor({ ...topic, ...setting }, broker)).toEqual({
      unknown: expect.stringContaining(why),
    })
  })

  test('is on a broker that does not report its settings', () => {
    expect(keptFor(topic, {})).toEqual({ unknown: expect.stringContaining('does not report') })
    expect(keptFor({}, broker)).toHaveProperty('unknown')
  })
})

test('of several brokers the one counts that looks most seldom, and none is left out that does not tell', () => {
  const seldom = { 'log.retention.check.interval.ms': '900000' }
  expect(keptFor(topic, slowestOf([broker, seldom]))).toEqual({ ms: 192 * hourMs + 960_000 })
  expect(keptFor(topic, slowestOf([broker, {}]))).toHaveProperty('unknown')
  expect(keptFor(topic, slowestOf([]))).toHaveProperty('unknown')
})

test('states are expected by the settings of the keys, and not at all without them', () => {
  const erasure = erasureRecord({ acceptedAtMs: 1_000_000 })
  const keys = {
    'segment.ms': '600000',
    'max.compaction.lag.ms': '3600000',
    'file.delete.delay.ms': '60000',
  }
  const state = { streamsOf: () => [] }
  expect(appliedBy(state, erasure)).toBe(1_075_000)
  expect(appliedBy(state, { ...erasure, appliedAtMs: 1_001_000 })).toBe(1_001_000)
  expect(completeBy(erasure, keys)).toBe(1_000_000 + 600_000 + 3_600_000 + 60_000 + 600_000)
  expect(
    completeBy(erasure, { ...keys, 'max.compaction.lag.ms': '9223372036854775807' }),
  ).toBeUndefined()
  expect(completeBy(erasure, {})).toBeUndefined()
})
