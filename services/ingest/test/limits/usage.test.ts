// The counts of a replica, and the records that report them. A record has a complete count, so writing one twice is
// harmless.
import { describe, expect, test } from '@jest/globals'
import { countsTopic, parseMonthCount, parseUsage } from '@weir/control-state'
import { createUsage } from '../../src/limits/usage.ts'
import type { UsageCounters, UsageRecord } from '../../src/limits/usage.ts'

const minute = 29_900_000
const nowMs = minute * 60_000
const nextMs = nowMs + 60_000

const told = (records: readonly UsageRecord[]): Record<string, unknown> =>
  Object.fromEntries(
    records.map(({ topic, key, value }) => [
      key,
      topic === countsTopic ? parseMonthCount(key, value) : parseUsage(key, value),
    ]),
  )

const countTimes = (usage: UsageCounters, times: number, atMs = nowMs): void => {
  for (let i = 0; i < times; i += 1) usage.count('s', atMs, 1, 100)
}

describe('the records', () => {
  test('hold what the minute has had so far, and the month', () => {
    const usage = createUsage('r')
    countTimes(usage, 3)
    usage.refused('s', nowMs, 'undecodable')
    usage.refused('s', nowMs, 'undecodable')
    expect(told(usage.takeChanged(nowMs))).toEqual({
      [`s/r/${minute}`]: { events: 3, bytes: 300, refused: { undecodable: 2 } },
      's/r': { month: '2026-11', events: 3 },
    })
    countTimes(usage, 2)
    expect(told(usage.takeChanged(nowMs))).toEqual({
      [`s/r/${minute}`]: { events: 5, bytes: 500, refused: { undecodable: 2 } },
      's/r': { month: '2026-11', events: 5 },
    })
  })

  test('are there once for each change', () => {
    const usage = createUsage('r')
    countTimes(usage, 1)
    expect(usage.takeChanged(nowMs)).toHaveLength(2)
    expect(usage.takeChanged(nowMs)).toEqual([])
  })

  test('leave out the month when nothing was stored', () => {
    const usage = createUsage('r')
    usage.refused('s', nowMs, 'event_rate_exceeded')
    expect(Object.keys(told(usage.takeChanged(nowMs)))).toEqual([`s/r/${minute}`])
  })

  test('come again, with what was added meanwhile, when they could not be written', () => {
    const usage = createUsage('r')
    countTimes(usage, 1)
    const failed = usage.takeChanged(nowMs)
    countTimes(usage, 1)
    for (const { settle } of failed) settle(false)
    expect(told(usage.takeChanged(nowMs))).toEqual({
      [`s/r/${minute}`]: { events: 2, bytes: 200, refused: {} },
      's/r': { month: '2026-11', events: 2 },
    })
  })

  test('of an old minute stay until they are written', () => {
    const usage = createUsage('r')
    countTimes(usage, 1)
    const longAfterMs = nowMs + 3_600_000
    for (const { settle } of usage.takeChanged(longAfterMs)) settle(false)
    countTimes(usage, 1, longAfterMs)
    const records = usage.takeChanged(longAfterMs)
    expect(Object.keys(told(records))).toEqual([`s/r/${minute}`, `s/r/${minute + 60}`, 's/r'])
    for (const { settle } of records) settle(true)
    usage.refused('s', longAfterMs, 'undecodable')
    expect(Object.keys(told(usage.takeChanged(longAfterMs)))).toEqual([`s/r/${minute + 60}`])
  })

  test("go to the stream's partition", () => {
    const usage = createUsage('r')
    countTimes(usage, 1)
    const topics = usage.takeChanged(nowMs).map(({ topic, partition }) => [topic, partition < 8])
    expect(topics).toEqual([
      ['weir.usage', true],
      ['weir.counts', true],
    ])
  })
})

describe('an event that turned out not to be stored', () => {
  test('is taken from the minute and the month that it was counted in', () => {
    const usage = createUsage('r')
    countTimes(usage, 2)
    countTimes(usage, 1, nextMs)
    usage.count('s', nowMs, -1, -100)
    expect(told(usage.takeChanged(nextMs))).toEqual({
      [`s/r/${minute}`]: { events: 1, bytes: 100, refused: {} },
      [`s/r/${minute + 1}`]: { events: 1, bytes: 100, refused: {} },
      's/r': { month: '2026-11', events: 2 },
    })
  })

  test('is not taken from the month after', () => {
    const usage = createUsage('r')
    const lastMs = Date.UTC(2026, 10, 30, 23, 59, 59)
    const firstMs = lastMs + 1_000
    countTimes(usage, 1, lastMs)
    countTimes(usage, 2, firstMs)
    usage.count('s', lastMs, -1, -100)
    expect(usage.inMonth('s', firstMs)).toBe(2)
    expect(usage.inMonth('s', lastMs)).toBe(0)
  })
})

test('a month begins at zero, by UTC', () => {
  const usage = createUsage('r')
  countTimes(usage, 5, Date.UTC(2026, 10, 30, 23, 59, 59, 999))
  expect(usage.inMonth('s', Date.UTC(2026, 11, 1))).toBe(0)
  countTimes(usage, 1, Date.UTC(2026, 11, 1))
  expect(usage.inMonth('s', Date.UTC(2026, 11, 1))).toBe(1)
  expect(told(usage.takeChanged(Date.UTC(2026, 11, 1)))['s/r']).toEqual({
    month: '2026-12',
    events: 1,
  })
})

test('nothing is written of a stream that is gone, nor counted back', () => {
  const usage = createUsage('r')
  countTimes(usage, 1)
  usage.forget('s')
  usage.count('s', nowMs, -1, -100)
  expect(usage.takeChanged(nowMs)).toEqual([])
  expect(usage.inMonth('s', nowMs)).toBe(0)
})
