// Which streams a deployment derives, and which changes are reported.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { createServedStreams } from '../../src/derive/served-streams.ts'
import { derivedStream, followerOf, inputStream, keptLog } from '../support/streams.ts'

const input = inputStream()
const one = derivedStream(input, { name: 'clicks-1' })
const two = derivedStream(input, { name: 'clicks-2' })

/** `told` returns the reports since the previous call, one per stream. */
function servedOf(options: { decrypterNames?: string[]; levels?: number[] } = {}) {
  const { decrypterNames = ['default'], levels } = options
  const scene = followerOf()
  const { log, lines } = keptLog()
  const names = new Map<string, string>()
  const told: string[] = []
  const served = createServedStreams({
    follower: scene.follower,
    decrypterNames,
    levels,
    onChange(streamId, now) {
      const name = now?.stream.name ?? names.get(streamId) ?? 'unknown'
      names.set(streamId, name)
      const how = now?.stream.enabled === true ? 'enabled' : 'disabled'
      told.push(now === undefined ? `${name} gone` : `${name} ${how}`)
    },
    log,
  })
  for (const stream of [input, one, two]) scene.putStream(stream)
  return {
    ...scene,
    ...served,
    lines,
    told: () => [...new Set(told.splice(0))].toSorted(),
    names: () => [...served.all()].map(({ stream }) => stream.name).toSorted(),
  }
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

describe('a derived stream is served', () => {
  test('that is there at the start, and each that is made later, at once', () => {
    const { follow, told, names, putStream } = servedOf()
    follow()
    expect(told()).toEqual(['clicks-1 enabled', 'clicks-2 enabled'])
    putStream(derivedStream(input, { name: 'clicks-3' }))
    expect(told()).toEqual(['clicks-3 enabled'])
    expect(names()).toEqual(['clicks-1', 'clicks-2', 'clicks-3'])
  })

  test('with the input that it is derived from', () => {
    const { follow, all } = servedOf()
    follow()
    expect([...all()]).toEqual([
      { stream: one, input },
      { stream: two, input },
    ])
  })

  test('and not where it asks for a level that this deployment may not open, which is counted and logged once', () => {
    const { follow, denied, names, lines, putStream, removeStream } = servedOf({ levels: [0, 1] })
    const three = derivedStream(input, { name: 'clicks-3', consentLevels: [2] })
    putStream(three)
    follow()
    putStream({ ...three, tags: ['changed'] })
    expect(names()).toEqual(['clicks-1', 'clicks-2'])
    expect(denied()).toBe(1)
    expect(lines).toMatchObject([{ stream: 'acme.clicks-3', levels: [2] }])
    putStream({ ...three, state: 'deleting' })
    expect(denied()).toBe(0)
    removeStream(three)
  })

  test('once it is ready, and not while it is being made', () => {
    const { follow, told, putStream } = servedOf()
    follow()
    told()
    const three = derivedStream(input, { name: 'clicks-3', state: 'creating' })
    putStream(three)
    expect(told()).toEqual([])
    putStream({ ...three, state: 'ready' })
    expect(told()).toEqual(['clicks-3 enabled'])
  })

  test('whose decrypter this deployment is', () => {
    const { follow, names, putStream } = servedOf({ decrypterNames: ['eu', 'us'] })
    follow()
    putStream(derivedStream(input, { name: 'clicks-3', decrypterName: 'us' }))
    expect(names()).toEqual(['clicks-3'])
  })

  test('whose input is still the stream it was linked to', () => {
    const { follow, names, putStream } = servedOf()
    follow()
    putStream(derivedStream(inputStream(), { name: 'clicks-3' }))
    expect(names()).toEqual(['clicks-1', 'clicks-2'])
  })
})

describe('of a stream that is served is told', () => {
  test('when it is disabled and enabled again', () => {
    const { follow, told, putStream } = servedOf()
    putStream({ ...one, enabled: false })
    follow()
    expect(told()).toEqual(['clicks-1 disabled', 'clicks-2 enabled'])
    putStream({ ...one, enabled: true })
    putStream({ ...two, enabled: false })
    expect(told()).toEqual(['clicks-1 enabled', 'clicks-2 disabled'])
  })

  test('that it is gone when it is deleted, when its record is no more, and when its input is another', () => {
    const { follow, told, names, putStream, removeStream } = servedOf()
    const three = derivedStream(input, { name: 'clicks-3' })
    putStream(three)
    follow()
    told()
    putStream({ ...one, state: 'deleting' })
    removeStream(two)
    putStream({ ...three, linkedStreamId: inputStream().streamId })
    expect(told()).toEqual(['clicks-1 gone', 'clicks-2 gone', 'clicks-3 gone'])
    expect(names()).toEqual([])
  })

  test('that it is gone when another one has its name', () => {
    const { follow, told, all, putStream } = servedOf()
    follow()
    told()
    const again = derivedStream(input, { name: 'clicks-1' })
    putStream(again)
    expect(told()).toEqual(['clicks-1 enabled', 'clicks-1 gone'])
    expect([...all()].map(({ stream }) => stream.streamId)).toEqual([two.streamId, again.streamId])
  })

  test('nothing when another stream changes', () => {
    const { follow, told, putStream } = servedOf()
    follow()
    told()
    putStream({ ...two, tags: ['changed'] })
    expect(told()).toEqual(['clicks-2 enabled'])
  })
})

describe('while control state is stale', () => {
  test('nothing is told, whatever arrives, and all that has changed once it is fresh again', () => {
    const { follow, told, names, setFresh, putStream, removeStream } = servedOf()
    follow()
    told()
    setFresh(false)
    putStream(derivedStream(input, { name: 'clicks-3' }))
    removeStream(two)
    jest.advanceTimersByTime(2_000)
    expect(told()).toEqual([])
    expect(names()).toEqual(['clicks-1', 'clicks-2'])
    setFresh(true)
    jest.advanceTimersByTime(500)
    expect(told()).toEqual(['clicks-1 enabled', 'clicks-2 gone', 'clicks-3 enabled'])
  })

  test('tables that start over end no stream that is still there when they are read', () => {
    const { follow, told, setFresh, startOver, putStream } = servedOf()
    follow()
    told()
    setFresh(false)
    startOver()
    putStream(input)
    putStream({ ...one, enabled: false })
    jest.advanceTimersByTime(2_000)
    expect(told()).toEqual([])
    setFresh(true)
    jest.advanceTimersByTime(500)
    expect(told()).toEqual(['clicks-1 disabled', 'clicks-2 gone'])
  })
})

test('whoever no longer follows is told nothing', () => {
  const { follow, told, setFresh, putStream } = servedOf()
  const unfollow = follow()
  told()
  unfollow()
  putStream(derivedStream(input, { name: 'clicks-3' }))
  setFresh(false)
  setFresh(true)
  jest.advanceTimersByTime(5_000)
  expect(told()).toEqual([])
})
