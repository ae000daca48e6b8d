// Readers that search for their leaders, in a simulated cluster.
import { expect, jest, test } from '@jest/globals'
import { createLeaderFinder } from '../../src/read/find-leaders.ts'
import { newReader } from '../../src/read/fetch-reader.ts'
import type { Reader } from '../../src/read/fetch-reader.ts'

const partitions = [{ partition: 0, leader: 1, leaderEpoch: 5, replicas: [1] }]
const sink = { onRecords: () => {}, onLost: () => {}, onGone: () => {} }
const readerOf = (topic: string): Reader =>
  newReader({ topic, partition: 0, from: 0n, isolation: 'read_committed' }, sink)

function start(hasLeader: (topic: string) => boolean, found: (reader: Reader) => void) {
  const stopping = new AbortController()
  const finder = createLeaderFinder({
    describe: (topics) =>
      Promise.resolve({
        controller: 1,
        brokers: [],
        topics: new Map(
          topics.map((topic) => [
            topic,
            { id: topic, partitions: hasLeader(topic) ? partitions : [] },
          ]),
        ),
        faults: new Map(),
      }),
    isGone: () => Promise.resolve(false),
    found,
    gone: () => {},
  })
  const running = finder.run(stopping.signal)
  return {
    find: finder.find,
    async stop() {
      stopping.abort()
      finder.ring()
      await running
    },
  }
}

test('who comes right after others were found waits no longer than they did', async () => {
  const rounds = 20
  const timers = jest.spyOn(globalThis, 'setTimeout')
  await new Promise<void>((resolve) => {
    let count = 0
    const finder = start(
      () => true,
      () => {
        count += 1
        // Each reader arrives while the finder pauses after the previous one.
        if (count < rounds) setImmediate(() => finder.find(readerOf(`topic-${count}`)))
        else void finder.stop().then(resolve)
      },
    )
    finder.find(readerOf('topic-0'))
  })
  const pausesMs = timers.mock.calls.map(([, ms]) => ms ?? 0)
  timers.mockRestore()
  expect(pausesMs.length).toBeGreaterThanOrEqual(rounds / 2)
  // If pauses doubled, they would reach a second.
  expect(Math.max(...pausesMs)).toBeLessThan(100)
})

test('whose partition gets a leader later is found then', async () => {
  let isThere = false
  const found = new Promise<Reader>((resolve) => {
    const finder = start(
      () => isThere,
      (reader) => void finder.stop().then(() => resolve(reader)),
    )
    finder.find(readerOf('late'))
    setTimeout(() => (isThere = true), 50)
  })
  expect((await found).leader).toEqual({ topicId: 'late', broker: 1, epoch: 5 })
})
