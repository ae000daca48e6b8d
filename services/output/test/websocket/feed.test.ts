// Which clients see which events of a topic, and when the topic is read. The test controls the reader and the ends of
// the topic. websocket-events.integration.test.ts uses a real broker.
import { describe, expect, test } from '@jest/globals'
import type { SourceRecord } from '@weir/kafka'
import { AppError, pollUntil } from '@weir/kit'
import { createFeed } from '../../src/websocket/feed.ts'
import type { Feed, FeedDeps } from '../../src/websocket/feed.ts'
import type { Closing, Watcher } from '../../src/websocket/watcher.ts'
import { keptLog } from '../support/streams.ts'
import { textsIn } from '../support/text-frames.ts'

type TailGiven = Parameters<FeedDeps['tail']>[0]

/**
 * Creates a feed of a topic with two partitions. The test writes the records, and responds to requests for the end
 * offsets.
 */
function feedOf() {
  const tails: TailGiven[] = []
  const closedTails: TailGiven[] = []
  let ends = [0n, 0n]
  let asking = Promise.withResolvers<void>()
  asking.resolve()
  let timesAsked = 0
  const feed = createFeed({
    topic: 'acme.clicks',
    async endOffsets() {
      timesAsked += 1
      const answer = [...ends]
      await asking.promise
      return answer
    },
    tail(options) {
      tails.push(options)
      return { close: async () => void closedTails.push(options) }
    },
    render: ({ value }) => value,
    begin: () => () => {},
    refresh: async () => {},
    log: keptLog().log,
  })
  return {
    feed,
    tails,
    closedTails,
    /** Writes records: the ends advance, and the reader gets the records. */
    write(partition: number, count = 1) {
      const from = ends[partition] ?? 0n
      const records = Array.from({ length: count }, (_, index) =>
        recordOf(partition, from + BigInt(index)),
      )
      ends = ends.map((end, each) => (each === partition ? end + BigInt(count) : end))
      tails.at(-1)?.onRecords(partition, records)
    },
    stop: () => tails.at(-1)?.onStopped('gone'),
    /** Delays the response with the ends until `answerEnds` or `failEnds` is called. */
    holdEnds: () => void (asking = Promise.withResolvers()),
    answerEnds: () => asking.resolve(),
    asked: () => timesAsked,
    failEnds: () => asking.reject(new AppError('kafka.unavailable', 'Kafka does not answer')),
  }
}

const recordOf = (partition: number, offset: bigint): SourceRecord => ({
  partition,
  offset,
  timestampMs: 0,
  key: null,
  value: Buffer.from(`${partition}/${offset}`),
  headers: {},
})

function watcherOf(): Watcher & { seen: string[]; ended: Closing[] } {
  const seen: string[] = []
  const ended: Closing[] = []
  return {
    seen,
    ended,
    send: (frames, messages) => void seen.push(...textsIn(frames, messages)),
    attach: () => {},
    end: (why) => void ended.push(why),
  }
}

async function joined(feed: Feed) {
  const watcher = watcherOf()
  await feed.join(watcher)
  return watcher
}

const soon = { deadlineMs: 60_000, everyMs: 1 }

/** Waits until a client has at least this many events. */
const has = ({ seen }: { seen: string[] }, count: number) =>
  pollUntil(() => seen.length >= count, soon)

describe('a client sees every event from the moment it came, and nothing before', () => {
  test('the first one from the ends as they were, where the reader begins', async () => {
    const { feed, tails, write } = feedOf()
    write(0, 3)
    const watcher = await joined(feed)
    write(0)
    write(1)
    await has(watcher, 2)
    expect(tails[0]?.fromOffsets).toEqual([3n, 0n])
    expect(watcher.seen).toEqual(['0/3', '1/0'])
  })

  test('a later one from the ends at its own coming, in each partition', async () => {
    const { feed, write } = feedOf()
    const first = await joined(feed)
    write(0, 2)
    const second = await joined(feed)
    write(1)
    write(0)
    await has(first, 4)
    await has(second, 2)
    expect(first.seen).toEqual(['0/0', '0/1', '1/0', '0/2'])
    expect(second.seen).toEqual(['1/0', '0/2'])
  })

  test('also what is read while the ends are still being asked for', async () => {
    const { feed, write, holdEnds, answerEnds, asked } = feedOf()
    const first = await joined(feed)
    holdEnds()
    write(0)
    const watcher = watcherOf()
    const joining = feed.join(watcher)
    await pollUntil(() => asked() === 2, soon)
    write(0, 2)
    write(1)
    await has(first, 4)
    expect(watcher.seen).toEqual([])
    answerEnds()
    await joining
    write(1)
    await has(watcher, 4)
    expect(watcher.seen).toEqual(['0/1', '0/2', '1/0', '1/1'])
  })

  test('and none that was read late, although it was written before', async () => {
    const { feed, tails, write } = feedOf()
    await joined(feed)
    const [tail] = tails.splice(0)
    write(0) // the end has advanced, but the reader has not received the record yet
    const late = await joined(feed)
    tail?.onRecords(0, [recordOf(0, 0n), recordOf(0, 1n)])
    await has(late, 1)
    expect(late.seen).toEqual(['0/1'])
  })
})

describe('one topic is read once', () => {
  test('however many clients watch it', async () => {
    const { feed, tails, write } = feedOf()
    const watchers = await Promise.all(Array.from({ length: 200 }, () => joined(feed)))
    write(0)
    for (const watcher of watchers) await has(watcher, 1)
    expect(tails).toHaveLength(1)
    expect(watchers.map(({ seen }) => seen)).toEqual(watchers.map(() => ['0/0']))
  })

  test('as long as somebody is there', async () => {
    const { feed, closedTails, write } = feedOf()
    const [first, second] = [await joined(feed), await joined(feed)]
    expect(feed.leave(first)).toBe(false)
    write(0)
    await has(second, 1)
    expect([first.seen, second.seen]).toEqual([[], ['0/0']])
    expect(feed.leave(second)).toBe(true)
    await feed.close()
    expect(closedTails).toHaveLength(1)
  })

  test('and not any more once it is closed, even when its start was still under way', async () => {
    const { feed, tails, closedTails, holdEnds, answerEnds } = feedOf()
    holdEnds()
    const joining = feed.join(watcherOf())
    const closing = feed.close()
    answerEnds()
    await Promise.all([joining, closing])
    expect([tails.length, closedTails.length]).toEqual([1, 1])
  })
})

describe('when it cannot be watched', () => {
  test('a client whose beginning cannot be told is refused, and the next one tries anew', async () => {
    const { feed, tails, holdEnds, failEnds, write } = feedOf()
    holdEnds()
    const watcher = watcherOf()
    const joining = feed.join(watcher)
    failEnds()
    await expect(joining).rejects.toMatchObject({ code: 'kafka.unavailable' })
    expect(feed.leave(watcher)).toBe(true)
    holdEnds()
    const again = feed.join(watcher)
    failEnds()
    await expect(again).rejects.toMatchObject({ code: 'kafka.unavailable' })
    expect(tails).toEqual([])
    write(0)
  })

  test('a topic that is gone ends everybody with 4410, and nobody joins it any more', async () => {
    const { feed, stop } = feedOf()
    const watchers = [await joined(feed), await joined(feed)]
    stop()
    expect(watchers.map(({ ended }) => ended[0]?.code)).toEqual([4410, 4410])
    await expect(feed.join(watcherOf())).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('a client for whom too much would have to be held is ended with 1013', async () => {
    const { feed, write, holdEnds, answerEnds } = feedOf()
    const first = await joined(feed)
    holdEnds()
    const watcher = watcherOf()
    const joining = feed.join(watcher)
    write(0, 10_000)
    await has(first, 10_000)
    const before = [...watcher.ended]
    write(0)
    await has(first, 10_001)
    answerEnds()
    await joining
    expect([before, watcher.ended.map(({ code }) => code)]).toEqual([[], [1013]])
  })
})
