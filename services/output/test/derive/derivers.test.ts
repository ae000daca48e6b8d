// Which derivers run, and when they wait; what a deriver does is not in here.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import type { Deriver } from '@weir/kafka'
import { createDerivers } from '../../src/derive/derivers.ts'
import { derivedStream, followerOf, inputStream, keptLog } from '../support/streams.ts'

const input = inputStream()
const one = derivedStream(input, { name: 'clicks-1' })
const two = derivedStream(input, { name: 'clicks-2' })

/** Says what each deriver was told last: running, paused or stopped. */
function derivesOf(
  options: { decrypterNames?: string[]; levels?: number[]; start?: () => Promise<void> } = {},
) {
  const { decrypterNames = ['default'], levels, start = async () => {} } = options
  const scene = followerOf()
  const made: { name: string; streamId: string; state: string }[] = []
  const derivers = createDerivers({
    follower: scene.follower,
    decrypterNames,
    levels,
    deriver({ name, streamId }) {
      const entry = { name, streamId, state: 'made' }
      made.push(entry)
      return fakeDeriver(entry, start)
    },
    log: keptLog().log,
  })
  for (const stream of [input, one, two]) scene.putStream(stream)
  return {
    ...scene,
    derivers,
    made,
    states: () => made.map(({ name, state }) => `${name} ${state}`).sort(),
  }
}

function fakeDeriver(entry: { state: string }, start: () => Promise<void>): Deriver {
  return {
    start,
    stop: async () => void (entry.state = 'stopped'),
    pause: () => void (entry.state = 'paused'),
    resume: () => void (entry.state = 'running'),
    settled: async () => {},
    assigned: () => [0],
    lag: () => 3,
  }
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

describe('one deriver runs for each derived stream', () => {
  test('that is there at the start, and for each that is made later, at once', () => {
    const { derivers, states, putStream } = derivesOf()
    derivers.start()
    expect(states()).toEqual(['clicks-1 running', 'clicks-2 running'])
    putStream(derivedStream(input, { name: 'clicks-3' }))
    expect(states()).toEqual(['clicks-1 running', 'clicks-2 running', 'clicks-3 running'])
    putStream({ ...one, tags: ['changed'] })
    expect(states()).toHaveLength(3)
  })

  test('and none where it asks for a level that this deployment may not open, which is counted', () => {
    const { derivers, states, putStream } = derivesOf({ levels: [0, 1] })
    derivers.start()
    putStream(derivedStream(input, { name: 'clicks-3', consentLevels: [2] }))
    expect(states()).toEqual(['clicks-1 running', 'clicks-2 running'])
    expect(derivers.denied()).toBe(1)
  })

  test('once it is ready, and not while it is being made', () => {
    const { derivers, states, putStream } = derivesOf()
    derivers.start()
    const three = derivedStream(input, { name: 'clicks-3', state: 'creating' })
    putStream(three)
    expect(states()).toHaveLength(2)
    putStream({ ...three, state: 'ready' })
    expect(states()).toContain('clicks-3 running')
  })

  test('whose decrypter this deployment is', () => {
    const { derivers, states, putStream } = derivesOf({ decrypterNames: ['eu', 'us'] })
    derivers.start()
    putStream(derivedStream(input, { name: 'clicks-3', decrypterName: 'us' }))
    expect(states()).toEqual(['clicks-3 running'])
  })

  test('whose input is still the stream it was linked to', () => {
    const { derivers, states, putStream } = derivesOf()
    derivers.start()
    putStream(derivedStream(inputStream(), { name: 'clicks-3' }))
    expect(states()).toHaveLength(2)
  })
})

describe('a stream’s deriver', () => {
  test('waits while the stream is disabled and goes on when it is enabled', () => {
    const { derivers, states, putStream } = derivesOf()
    putStream({ ...one, enabled: false })
    derivers.start()
    expect(states()).toEqual(['clicks-1 paused', 'clicks-2 running'])
    putStream({ ...one, enabled: true })
    putStream({ ...two, enabled: false })
    expect(states()).toEqual(['clicks-1 running', 'clicks-2 paused'])
  })

  test('stops when the stream is deleted, or its record is no more', () => {
    const { derivers, states, putStream, removeStream } = derivesOf()
    derivers.start()
    putStream({ ...one, state: 'deleting' })
    removeStream(two)
    expect(states()).toEqual(['clicks-1 stopped', 'clicks-2 stopped'])
  })

  test('is another one for another stream of the same name', () => {
    const { derivers, made, states, putStream } = derivesOf()
    derivers.start()
    const again = derivedStream(input, { name: 'clicks-1' })
    putStream(again)
    expect(states()).toEqual(['clicks-1 running', 'clicks-1 stopped', 'clicks-2 running'])
    expect(made.map(({ streamId }) => streamId)).toEqual([
      one.streamId,
      two.streamId,
      again.streamId,
    ])
  })

  test('that could not start is made anew', async () => {
    let starts = 0
    const { derivers, states } = derivesOf({
      start: async () => {
        starts += 1
        if (starts === 1) throw new Error('no broker')
      },
    })
    derivers.start()
    await jest.advanceTimersByTimeAsync(1_000)
    expect(states()).toEqual(['clicks-1 running', 'clicks-1 stopped', 'clicks-2 running'])
  })
})

describe('while control state is stale', () => {
  test('all derivers wait, whatever arrives, and go on when it is fresh again', () => {
    const { derivers, states, setFresh, putStream } = derivesOf()
    derivers.start()
    setFresh(false)
    jest.advanceTimersByTime(500)
    expect(states()).toEqual(['clicks-1 paused', 'clicks-2 paused'])
    putStream({ ...one, tags: ['changed'] })
    putStream(derivedStream(input, { name: 'clicks-3' }))
    jest.advanceTimersByTime(500)
    expect(states()).toEqual(['clicks-1 paused', 'clicks-2 paused'])
    setFresh(true)
    jest.advanceTimersByTime(500)
    expect(states()).toEqual(['clicks-1 running', 'clicks-2 running', 'clicks-3 running'])
  })

  test('tables that start over stop nobody who is still there when they are read', () => {
    const { derivers, states, setFresh, startOver, putStream } = derivesOf()
    derivers.start()
    setFresh(false)
    startOver()
    putStream(input)
    putStream({ ...one, enabled: false })
    jest.advanceTimersByTime(500)
    setFresh(true)
    jest.advanceTimersByTime(500)
    expect(states()).toEqual(['clicks-1 paused', 'clicks-2 stopped'])
  })
})

test('closing stops every deriver and waits for it; nothing starts any more', async () => {
  const { derivers, states, putStream } = derivesOf()
  derivers.start()
  await derivers.close()
  putStream(derivedStream(input, { name: 'clicks-3' }))
  jest.advanceTimersByTime(5_000)
  expect(states()).toEqual(['clicks-1 stopped', 'clicks-2 stopped'])
})

test('the lag is told by topic', () => {
  const { derivers } = derivesOf()
  derivers.start()
  expect([...derivers.lags()]).toEqual([
    ['acme.clicks-1', 3],
    ['acme.clicks-2', 3],
  ])
})
