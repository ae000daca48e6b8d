// Which replicas count as alive, by the reader's own clock.
import { expect, test } from '@jest/globals'
import { createReplicaTable, heartbeatValue } from '../../src/replicas/replicas.ts'
import type { Heartbeat } from '../../src/replicas/replicas.ts'

const beat: Heartbeat = {
  service: 'ingest',
  sentMs: 0,
  uptimeMs: 0,
  spanMs: 1_000,
  control: '1',
  keys: '2',
  streams: { s: [3, 2] },
}

function setUp() {
  let nowMs = 1_000_000
  const table = createReplicaTable(
    () => nowMs,
    () => nowMs - 999_000,
  )
  const hear = (id: string, more: Partial<Heartbeat> = {}, past?: number) =>
    table.apply(
      {
        key: id,
        value: heartbeatValue({ ...beat, ...more }),
        timestampMs: past ?? nowMs,
      },
      past !== undefined,
    )
  const ids = (replicas: readonly { id: string }[]): string[] => replicas.map(({ id }) => id)
  return {
    table,
    hear,
    live: () => ids(table.live()),
    heard: () => ids(table.heard()),
    pass: (ms: number) => void (nowMs += ms),
  }
}

test('a replica counts for limits for 5 s, and may be at work for 60 s', () => {
  const { hear, live, heard, table, pass } = setUp()
  hear('a')
  expect([live(), heard(), table.dead()]).toEqual([['a'], ['a'], []])
  pass(5_001)
  expect([live(), heard(), table.dead()]).toEqual([[], ['a'], []])
  pass(55_000)
  expect([live(), heard(), table.dead()]).toEqual([[], [], ['a']])
  hear('a')
  expect([live(), heard(), table.dead()]).toEqual([['a'], ['a'], []])
})

test('what was written before the reader began counts for limits only if it was just now', () => {
  const { hear, live, heard, table, pass } = setUp()
  hear('old', {}, 1_000_000 - 6_000)
  hear('new', {}, 1_000_000 - 1_000)
  expect([live(), heard(), table.dead()]).toEqual([['new'], ['old', 'new'], []])
  pass(60_001)
  expect(table.dead()).toEqual(['old', 'new'])
})

test('a clock that is ahead does not make a replica live longer', () => {
  const { hear, live, pass } = setUp()
  hear('a', {}, 9_000_000)
  pass(5_001)
  expect(live()).toEqual([])
})

test('one that has left is neither live nor at work', () => {
  const { hear, live, heard, table, pass } = setUp()
  hear('a', { leaving: true })
  expect([live(), heard(), table.dead()]).toEqual([[], [], []])
  pass(60_001)
  expect(table.dead()).toEqual(['a'])
})

test('a tombstone, or starting over, forgets', () => {
  const { hear, live, table } = setUp()
  hear('a')
  hear('b')
  table.apply({ key: 'a', value: null, timestampMs: 0 }, false)
  expect(live()).toEqual(['b'])
  table.clear()
  expect(live()).toEqual([])
})

test('who looks at the time another way learns of all when they were heard of, and when they wrote', () => {
  const { hear, table, pass } = setUp()
  hear('there before', {}, 1_000_000 - 70_000)
  pass(5_001)
  hear('left', { leaving: true })
  expect([...table.known()]).toMatchObject([
    {
      id: 'there before',
      heardMs: 1_000_000,
      heardUptimeMs: 1_000,
      writtenMs: 930_000,
      isPast: true,
    },
    { id: 'left', heardMs: 1_005_001, heardUptimeMs: 6_001, writtenMs: 1_005_001, isPast: false },
  ])
})
