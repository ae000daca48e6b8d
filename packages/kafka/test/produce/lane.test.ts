import { describe, expect, test } from '@jest/globals'

import { isOver } from '../../src/produce/batch.ts'
import {
  createLane as createLaneWith,
  expireBatch,
  expireQueue,
  putBackInHalves,
  recordBytes,
  resolveAll,
  takeBatch,
} from '../../src/produce/lane.ts'
import type { Lane } from '../../src/produce/lane.ts'

const createLane = (topic: string, partition: number, batchBytesMax: number) =>
  createLaneWith(topic, partition, {
    party: { bytes: 0 },
    batchBytesMax,
    patienceMs: 1_000,
    compression: 'none',
  })

const SMALL = 100
const ERROR = new Error('too late')

// Adds records to the queue. Returns the outcome of each record, by name.
function fill(
  lane: Lane,
  ...records: readonly { name: string; bytes: number; untilMs?: number }[]
) {
  const answers: Record<string, string> = {}
  for (const { name, bytes, untilMs = Infinity } of records) {
    const record = { key: name, value: Buffer.alloc(0), headers: {}, timestampMs: 0 }
    lane.queue.push({
      record,
      bodyBytes: bytes,
      deadlineMs: untilMs,
      waiter: {
        resolve: () => (answers[name] = 'resolved'),
        reject: (error) => (answers[name] = error instanceof Error ? error.message : ''),
      },
    })
  }
  return answers
}

const names = (records: readonly { record: { key: Buffer | string } }[] | undefined) =>
  records?.map(({ record }) => record.key).join('')

const letters = (text: string, bytes = SMALL) => text.split('').map((name) => ({ name, bytes }))

describe('a batch', () => {
  test('takes everything that waits, in order', () => {
    const lane = createLane('topic', 3, 100_000)
    fill(lane, ...letters('abc'))

    expect(takeBatch(lane)).toMatchObject({ topic: 'topic', partition: 3 })
    expect(names(lane.batch?.records)).toBe('abc')
    expect(lane.queue).toEqual([])
    expect(takeBatch(lane)).toBeUndefined()
  })

  test('stays under its size, and the rest waits in order', () => {
    const lane = createLane('topic', 0, 10_000)
    fill(lane, ...letters('abc', 4_000))

    expect(names(takeBatch(lane)?.records)).toBe('ab')
    expect(names(takeBatch(lane)?.records)).toBe('c')
  })

  test('with a record larger than that holds nothing else', () => {
    const lane = createLane('topic', 0, 10_000)
    fill(lane, ...letters('a'), ...letters('L', 50_000), ...letters('b'))

    expect(names(takeBatch(lane)?.records)).toBe('a')
    expect(names(takeBatch(lane)?.records)).toBe('L')
    expect(names(takeBatch(lane)?.records)).toBe('b')
  })

  test('refused for its size goes out again in halves, before what came later', () => {
    const lane = createLane('topic', 0, 100_000)
    fill(lane, ...letters('abcd', 4_000))
    const refused = takeBatch(lane)
    fill(lane, ...letters('e', 4_000))

    if (refused) putBackInHalves(lane, refused)

    expect(names(takeBatch(lane)?.records)).toBe('a')
    expect(names(lane.queue)).toBe('bcde')
  })

  test('loses its expired records but no others, and is over when none is left', () => {
    const lane = createLane('topic', 0, 100_000)
    const answers = fill(
      lane,
      { name: 'a', bytes: SMALL, untilMs: 10 },
      { name: 'b', bytes: SMALL, untilMs: 20 },
    )
    const batch = takeBatch(lane)
    if (!batch) throw new Error('no batch')

    expireBatch(batch, 10, ERROR)
    expect(answers).toEqual({ a: 'too late' })
    expect(isOver(batch)).toBe(false)

    resolveAll(batch)
    expect(answers).toEqual({ a: 'too late', b: 'resolved' })
    expect(isOver(batch)).toBe(true)
  })
})

describe('the queue', () => {
  test('gives up what expired while it waited, and says how many bytes that frees', () => {
    const lane = createLane('topic', 0, 100_000)
    const answers = fill(
      lane,
      { name: 'a', bytes: SMALL, untilMs: 10 },
      { name: 'b', bytes: SMALL, untilMs: 11 },
      { name: 'c', bytes: SMALL, untilMs: 12 },
    )
    const [first] = lane.queue

    expect(expireQueue(lane, 11, ERROR)).toBe(first && 2 * recordBytes(first))
    expect(answers).toEqual({ a: 'too late', b: 'too late' })
    expect(names(takeBatch(lane)?.records)).toBe('c')
  })
})
