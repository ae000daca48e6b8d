// Which records of former replicas and deleted streams are removed. Lists replace the topics.
import { describe, expect, test } from '@jest/globals'
import {
  countKey,
  countsTopic,
  monthCountValue,
  replicasTopic,
  usageKey,
  usagePartitionOf,
  usageTopic,
} from '@weir/control-state'
import type { Replica } from '@weir/control-state'
import { forgetUsage, sweepMonths, sweepReplicas } from '../../src/usage/sweep.ts'
import type { SweepDeps } from '../../src/usage/sweep.ts'
import type { Tombstone } from '../../src/control/tombstones.ts'
import type { UsageTable } from '../../src/usage/usage-log.ts'

const nowMs = Date.UTC(2026, 10, 21)
type Counts = readonly (readonly [key: string, month: string | null])[]

function setUp({
  dead = [[]] as readonly (readonly string[])[],
  atWork = [] as readonly string[],
  counts = [] as Counts,
  usage = new Map() as UsageTable,
  isRead = true,
}) {
  const written: Tombstone[][] = []
  let looks = 0
  const records = counts.map(([key, month], offset) => ({
    partition: 0,
    offset: BigInt(offset),
    timestampMs: 0,
    key: Buffer.from(key),
    value: month === null ? null : monthCountValue({ month, events: 1 }),
    headers: {},
  }))
  const heard: Replica[] = atWork.map((id) => ({
    id,
    heardMs: nowMs,
    freshMs: nowMs,
    beat: {
      service: 'ingest',
      sentMs: 0,
      uptimeMs: 0,
      spanMs: 1,
      control: '0',
      keys: '0',
      streams: {},
    },
  }))
  const deps: SweepDeps = {
    write: async (tombstones) => void written.push([...tombstones]),
    offsets: {
      earliest: async () => [0n],
      ends: async () => [BigInt(records.length)],
    },
    reader: { read: async (_range, onRecords) => void onRecords(records) },
    replicas: {
      isRead: () => isRead,
      unread: () => [],
      catchUp: async () => void (looks += 1),
      replicas: {
        known: () => [],
        dead: () => [...(dead[Math.min(looks, dead.length - 1)] ?? [])],
        heard: () => heard,
        live: () => heard,
        aheadOfBrokerMs: () => undefined,
      },
    },
    log: { ofStream: async () => usage },
  }
  return { deps, written }
}

describe('dead replicas', () => {
  test('lose their heartbeats', async () => {
    const { deps, written } = setUp({ dead: [['a', 'b']] })
    await sweepReplicas(deps)
    expect(written).toEqual([
      ['a', 'b'].map((key) => ({ topic: replicasTopic, partition: 0, key })),
    ])
  })

  test('are looked at once more: one may have come back', async () => {
    const { deps, written } = setUp({ dead: [['a', 'b'], ['b']] })
    await sweepReplicas(deps)
    expect(written).toEqual([[{ topic: replicasTopic, partition: 0, key: 'b' }]])
  })

  test('are nobody as long as not everything is read', async () => {
    const { deps, written } = setUp({ dead: [['a']], isRead: false })
    await sweepReplicas(deps)
    await sweepMonths(deps, nowMs)
    expect(written).toEqual([])
  })
})

test('counts of months that are over go, but for those of replicas that are at work', async () => {
  const { deps, written } = setUp({
    atWork: ['alive'],
    counts: [
      [countKey('s', 'dead'), '2026-10'],
      [countKey('s', 'alive'), '2026-10'],
      [countKey('s', 'late'), '2026-10'],
      [countKey('s', 'late'), '2026-11'],
      [countKey('s', 'gone'), '2026-10'],
      [countKey('s', 'gone'), null],
      [countKey('t', 'dead'), '2026-11'],
    ],
  })
  await sweepMonths(deps, nowMs)
  expect(written).toEqual([[{ topic: countsTopic, partition: 0, key: 's/dead' }]])
})

test('of a stream that is gone everything goes that is still there, and nothing of another one', async () => {
  const sum = { events: 1, bytes: 1, refused: {} }
  const { deps, written } = setUp({
    counts: [
      ['s/r1', '2026-11'],
      ['s/r2', '2026-10'],
      ['s/r3', '2026-11'],
      ['s/r3', null],
      ['s2/r1', '2026-11'],
    ],
    usage: new Map([
      [usageKey('s', 'r1', 1), sum],
      [usageKey('s', 'r1', 2), null],
    ]),
  })
  await forgetUsage(deps, { streamId: 's', createdAtMs: 0 })
  expect(written).toEqual([
    [
      { topic: usageTopic, partition: usagePartitionOf('s'), key: 's/r1/1' },
      { topic: countsTopic, partition: 0, key: 's/r1' },
      { topic: countsTopic, partition: 0, key: 's/r2' },
    ],
  ])
})
