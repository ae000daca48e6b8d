import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { eraKeys, makePart, termKeys, termOf } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import { forgetPeople } from '../../src/tables/forget-people.ts'
import { controlTopic, keysTopic, streamKey } from '../../src/records/records.ts'
import type { StreamRecord } from '../../src/records/records.ts'
import { createTables } from '../../src/tables/tables.ts'
import { inputStream } from '../support.ts'

const keysOf = (streamId: string, era: number): EraKeys =>
  eraKeys(termKeys({ streamId, term: termOf(era), trees: [['', makePart('tree', randomBytes)]] }), {
    era,
    label: makePart('label', randomBytes),
    level: () => undefined,
  })

function setUp({ size = 1, hasKeys = true } = {}) {
  const tables = createTables()
  const said: string[] = []
  let change: (topic: string, key?: string) => void = () => {}
  const stop = forgetPeople(
    {
      tables,
      keyring: {
        eraKeys: (_billingId, streamId, era) => (hasKeys ? keysOf(streamId, era) : undefined),
      },
      onChange(listener) {
        const before = change
        change = (topic, key) => {
          before(topic, key)
          listener(topic, key)
        }
        return () => (change = () => {})
      },
    },
    {
      refresh: (streamId, keysNow) => said.push(`refresh ${streamId} ${keysNow(7)?.era}`),
      forget: (streamId) => said.push(`forget ${streamId}`),
      clear: () => said.push('clear'),
      size: () => size,
    },
  )
  const put = (stream: StreamRecord): void => {
    tables.apply(streamKey(stream.billingId, stream.name), stream)
    change(controlTopic, streamKey(stream.billingId, stream.name))
  }
  return { said, stop, put, change: (topic: string, key?: string) => change(topic, key) }
}

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

test('within a second of a changed tree the people of its stream are checked, once for all of its records', () => {
  const { said, change } = setUp()
  for (const part of ['tree', 'tree.0', 'tree.3']) change(keysTopic, `acme/s/t0/${part}`)
  change(keysTopic, 'acme/s/t1/tree')
  change(keysTopic, 'acme/other/t1/tree')
  expect(said).toEqual([])
  jest.advanceTimersByTime(1_000)
  expect(said).toEqual(['refresh s 7', 'refresh other 7'])
  change(keysTopic, 'acme/s/t0/tree')
  jest.advanceTimersByTime(1_000)
  expect(said).toEqual(['refresh s 7', 'refresh other 7', 'refresh s 7'])
})

test('people of a stream are checked even if its keys are gone', () => {
  const { said, change } = setUp({ hasKeys: false })
  change(keysTopic, 'acme/s/t0/tree')
  jest.advanceTimersByTime(1_000)
  expect(said).toEqual(['refresh s undefined'])
})

test('other parts, wrapping keys and signing keys change nobody, and an empty cache opens no keys', () => {
  const { said, change } = setUp()
  for (const key of [
    'acme/s/7/label',
    'acme/s/7/level.1',
    'acme/s/t0/link',
    '_ring/open/1',
    '_signing/k',
  ])
    change(keysTopic, key)
  change(controlTopic, 'acme/s/t0/tree')
  const empty = setUp({ size: 0 })
  empty.change(keysTopic, 'acme/s/t0/tree')
  jest.advanceTimersByTime(1_000)
  expect([said, empty.said]).toEqual([[], []])
})

test('a stream that is gone takes its people along', () => {
  const { said, put } = setUp()
  const stream = inputStream()
  put(stream)
  put({ ...stream, state: 'deleting' })
  expect(said).toEqual([`forget ${stream.streamId}`])
})

test('when the tables start over, everybody goes', () => {
  const { said, change } = setUp()
  change(controlTopic)
  expect(said).toEqual(['clear'])
})

test('once stopped, it says nothing any more', () => {
  const { said, change, stop } = setUp()
  change(keysTopic, 'acme/s/t0/tree')
  stop()
  jest.advanceTimersByTime(1_000)
  expect(said).toEqual([])
})
