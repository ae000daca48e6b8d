// Which partitions a replica owns after each heartbeat: several replicas read one log, each with its own clocks.
import { describe, expect, test } from '@jest/globals'
import type { Heartbeat, KnownReplica } from '@weir/control-state'
import { measured } from '@weir/testkit'
import { createStanding } from '../../../src/derive/owners/standing.ts'
import type { Standing } from '../../../src/derive/owners/standing.ts'

const decrypterName = 'default'
const partitions = Array.from({ length: 300 }, (_, n) => ({
  streamId: `stream-${n % 30}`,
  partition: Math.floor(n / 30),
}))

type Reader = {
  readonly id: string
  readonly standing: Standing
  readonly known: Map<string, KnownReplica>
  changes: number
  isRead: boolean
  /** The error of the wall clock. */
  wallOffMs: number
  uptimeOffMs: number
}

/** Returns a log whose readers get every heartbeat immediately. */
function openLog() {
  let nowMs = 1_000_000
  const readers: Reader[] = []
  const clockOf = (reader: Reader) => ({
    wallMs: nowMs + reader.wallOffMs,
    uptimeMs: nowMs + reader.uptimeOffMs,
  })
  const join = (id: string): Reader => {
    const known = new Map<string, KnownReplica>()
    const standing = createStanding({
      self: id,
      clock: () => clockOf(reader),
      replicas: () => (reader.isRead ? known.values() : undefined),
      onChange: () => void (reader.changes += 1),
    })
    const zero = { changes: 0, wallOffMs: 0, uptimeOffMs: 0 }
    const reader: Reader = { id, standing, known, isRead: true, ...zero }
    readers.push(reader)
    return reader
  }
  const write = (from: Reader, more: Partial<Heartbeat> = {}): void => {
    const { wallMs: sentMs, uptimeMs } = clockOf(from)
    const read = { control: '0', keys: '0', streams: {}, derives: [decrypterName] }
    const beat = { service: 'output', sentMs, uptimeMs, spanMs: 1_000, ...read, ...more } as const
    for (const reader of readers) {
      const { wallMs: heardMs, uptimeMs: heardUptimeMs } = clockOf(reader)
      const heard = { heardMs, heardUptimeMs, freshMs: heardMs, writtenMs: nowMs, isPast: false }
      const replica = { id: from.id, beat, ...heard }
      reader.known.set(from.id, replica)
      reader.standing.hear(replica)
      reader.standing.look()
    }
  }
  const pass = (ms: number): void => {
    nowMs += ms
    for (const { standing } of readers) standing.look()
  }
  return {
    join,
    write,
    pass,
    /** Lets these replicas write heartbeats for this many seconds. */
    live(seconds: number, ...alive: Reader[]) {
      for (let second = 0; second < seconds; second += 1) {
        pass(1_000)
        for (const reader of alive) write(reader)
      }
    },
  }
}

const ownedBy = ({ standing }: Reader): string[] =>
  partitions.flatMap((of) =>
    standing.isMine(of, decrypterName) ? [`${of.streamId}/${of.partition}`] : [],
  )
const ownersOf = (...readers: Reader[]): number[] => {
  const owned = readers.flatMap(ownedBy)
  return partitions.map(
    ({ streamId, partition }) => owned.filter((each) => each === `${streamId}/${partition}`).length,
  )
}
const one = partitions.map(() => 1)

describe('at rest', () => {
  test('each partition has exactly one owner, whatever the clocks of the replicas say', () => {
    const log = openLog()
    const [a, b, c] = [log.join('a'), log.join('b'), log.join('c')]
    b.wallOffMs = 86_400_000
    c.uptimeOffMs = -900_000
    log.live(2, a, b, c)
    expect(ownersOf(a, b, c)).toEqual(one)
    for (const each of [a, b, c]) expect(ownedBy(each).length).toBeGreaterThan(50)
  })

  test('heartbeats that change nothing are no change', () => {
    const log = openLog()
    const [a, b] = [log.join('a'), log.join('b')]
    log.live(2, a, b)
    const before = a.changes
    log.live(60, a, b)
    expect(a.changes).toBe(before)
  })

  test('a decrypterName that nobody derives is nobody`s', () => {
    const log = openLog()
    const a = log.join('a')
    log.live(2, a)
    expect(a.standing.isMine({ streamId: 's', partition: 0 }, 'eu')).toBe(false)
  })
})

describe('another replica', () => {
  test('that leaves gives its partitions away at once, and no other moves', () => {
    const log = openLog()
    const [a, b, c] = [log.join('a'), log.join('b'), log.join('c')]
    log.live(10, a, b, c)
    const kept = ownedBy(a)
    // When
    log.write(c, { leaving: true })
    // Then
    expect(ownedBy(c)).toEqual([])
    expect(ownersOf(a, b)).toEqual(one)
    expect(ownedBy(a)).toEqual(expect.arrayContaining(kept))
  })

  test('that is silent keeps its partitions for 10 s and owns none itself when others have them', () => {
    const log = openLog()
    const [a, b] = [log.join('a'), log.join('b')]
    log.live(10, a, b)
    log.live(9, a)
    expect(ownersOf(a, b)).toEqual(one)
    log.live(2, a)
    expect(ownedBy(b)).toEqual([])
    expect(ownersOf(a)).toEqual(one)
  })

  test('that is not ready gets nothing, and its share when it is', () => {
    const log = openLog()
    const [a, b] = [log.join('a'), log.join('b')]
    log.live(2, a, b)
    log.write(b, { derives: [] })
    expect(ownedBy(b)).toEqual([])
    expect(ownersOf(a)).toEqual(one)
    log.write(b)
    expect(ownersOf(a, b)).toEqual(one)
  })
})

describe('the own lease', () => {
  test('ends without a heartbeat, without anybody looking, and is told', () => {
    const log = openLog()
    const a = log.join('a')
    log.live(10, a)
    const before = a.changes
    a.wallOffMs += 10_000
    expect(ownedBy(a)).toEqual([])
    expect(a.changes).toBe(before + 1)
    log.write(a)
    expect(ownersOf(a)).toEqual(one)
    expect(a.changes).toBe(before + 2)
  })

  test.each(['wallOffMs', 'uptimeOffMs'] as const)(
    'ends when only one clock went on (%s), and others are not taken for dead after it',
    (clock) => {
      const log = openLog()
      const [a, b] = [log.join('a'), log.join('b')]
      log.live(10, a, b)
      // When the replica wakes up
      a[clock] += 3_600_000
      expect(ownedBy(a)).toEqual([])
      log.write(a)
      // Then
      expect(ownersOf(a, b)).toEqual(one)
    },
  )

  test('is not there while not all is read', () => {
    const log = openLog()
    const a = log.join('a')
    log.live(2, a)
    a.isRead = false
    expect(ownedBy(a)).toEqual([])
  })
})

test('after an outage for all, the first that is heard does not take what is the others`', () => {
  const log = openLog()
  const [a, b, c] = [log.join('a'), log.join('b'), log.join('c')]
  log.live(10, a, b, c)
  const before = ownedBy(a)
  log.pass(120_000)
  expect(ownersOf(a, b, c)).toEqual(partitions.map(() => 0))
  // When
  log.write(a)
  // Then
  expect(ownedBy(a)).toEqual(before)
  log.write(b)
  expect(ownersOf(a, b, c)).not.toContain(2)
  log.live(4, a, b)
  expect(ownedBy(a)).toEqual(before)
  log.live(2, a, b)
  expect(ownersOf(a, b)).toEqual(one)
})

test('3,000 partitions of ten replicas are shared anew within 50 ms of processor time', () => {
  const log = openLog()
  const readers = Array.from({ length: 10 }, (_, n) => log.join(`replica-${n}`))
  const [first] = readers
  log.live(2, ...readers)
  const many = Array.from({ length: 3_000 }, (_, n) => ({ streamId: `s-${n}`, partition: n % 3 }))
  const ask = (): number => many.filter((of) => first?.standing.isMine(of, decrypterName)).length
  ask()
  const times = readers.slice(5).map((leaver) => {
    log.write(leaver, { leaving: true })
    const before = process.cpuUsage()
    ask()
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1_000
  })
  expect(Math.min(...times)).toBeLessThan(measured(50))
})
