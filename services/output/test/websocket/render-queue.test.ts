import { setImmediate } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import type { SourceRecord } from '@weir/kafka'
import { ContractsError } from '@weir/contracts'
import { AppError, pollUntil } from '@weir/kit'
import {
  closeQueue,
  createRenderQueue,
  queuedBytesMax,
  renderRecords,
} from '../../src/websocket/render-queue.ts'
import { DeriveError } from '../../src/derive/errors.ts'
import type { Render } from '../../src/websocket/render.ts'
import { keptLog } from '../support/streams.ts'

const recordOf = (offset: number, value = Buffer.from(`v${offset}`)): SourceRecord => ({
  partition: 0,
  offset: BigInt(offset),
  timestampMs: 0,
  key: null,
  value,
  headers: {},
})
const notKnown = (): never => {
  throw new DeriveError('derive.unknown_contract', 'not known')
}
const recordsOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => recordOf(from + index))

function queueOf(render: Render = ({ value }) => value, onLook: () => unknown = () => {}) {
  const shown: string[] = []
  const rounds: number[] = []
  const { lines, log } = keptLog()
  const seen = { looks: 0, full: 0 }
  const queue = createRenderQueue({
    topic: 'acme.clicks',
    render,
    async refresh() {
      seen.looks += 1
      onLook()
    },
    onMessages(messages) {
      rounds.push(messages.length)
      for (const { partition, offset, text } of messages)
        shown.push(`${partition}/${offset}=${text.toString()}`)
    },
    begin: () => () => {},
    onFull: () => void (seen.full += 1),
    log,
  })
  const until = (count: number) =>
    pollUntil(() => shown.length >= count, { deadlineMs: 60_000, everyMs: 1 })
  return { queue, shown, rounds, lines, seen, until }
}

test('records become messages in the order they came, partition by partition', async () => {
  const { queue, shown, until } = queueOf()
  renderRecords(queue, 0, recordsOf(0, 30))
  renderRecords(queue, 1, recordsOf(0, 2))
  renderRecords(queue, 0, recordsOf(30, 30))
  await until(62)
  const zero = shown.filter((message) => message.startsWith('0/'))
  expect(zero).toEqual(recordsOf(0, 60).map(({ offset }) => `0/${offset}=v${offset}`))
  expect(shown.filter((message) => message.startsWith('1/'))).toEqual(['1/0=v0', '1/1=v1'])
})

test('large messages go on a few at a time, so that clients have the time to take them', async () => {
  const { queue, rounds, until } = queueOf()
  renderRecords(
    queue,
    0,
    Array.from({ length: 6 }, (_, index) => recordOf(index, Buffer.alloc(150_000))),
  )
  await until(6)
  expect(rounds).toEqual([2, 2, 2])
})

test('what comes together goes on together, from all partitions, twenty at a time at most', async () => {
  const { queue, rounds, until } = queueOf()
  for (const partition of [0, 1, 2]) renderRecords(queue, partition, recordsOf(0, 2))
  await until(6)
  for (const partition of [0, 1, 2]) renderRecords(queue, partition, recordsOf(2, 10))
  await until(36)
  expect(rounds).toEqual([6, 20, 10])
})

test('what is there goes on before the tables are followed', async () => {
  const shownAtLook: number[] = []
  const { queue, shown, until } = queueOf(
    ({ offset, value }) => (offset === 1n ? notKnown() : value),
    () => shownAtLook.push(shown.length),
  )
  renderRecords(queue, 0, recordsOf(0, 3))
  await until(2)
  expect(shownAtLook).toEqual([1])
})

test('a burst is shown in small turns, so that sockets are written to in between', async () => {
  const { queue, shown } = queueOf()
  for (let from = 0; from < 1_000; from += 5) renderRecords(queue, 0, recordsOf(from, 5))
  const counts = [shown.length]
  while (shown.length < 1_000) {
    await setImmediate()
    counts.push(shown.length)
  }
  const largest = Math.max(...counts.map((count, turn) => count - (counts[turn - 1] ?? 0)))
  expect(largest).toBeLessThanOrEqual(50)
})

test('a record that cannot be shown is left out and logged without its values; the others are shown', async () => {
  const { queue, shown, lines, until } = queueOf(({ offset, value }) => {
    if (offset === 1n) throw new ContractsError('contracts.undecodable', 'a message')
    if (offset === 3n) throw new TypeError('the value secret-3 is odd')
    return value
  })
  renderRecords(queue, 2, recordsOf(0, 5))
  await until(3)
  expect(shown).toEqual(['2/0=v0', '2/2=v2', '2/4=v4'])
  await pollUntil(() => lines.length > 0, { deadlineMs: 60_000, everyMs: 1 })
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'warn',
      topic: 'acme.clicks',
      partition: 2,
      records: 2,
      first: { offset: 1, code: 'undecodable' },
    }),
  ])
  expect(JSON.stringify(lines)).not.toContain('secret-3')
})

test('records of a contract that is not known yet wait for the tables, and those behind them too', async () => {
  let isKnown = false
  const { queue, shown, seen, until } = queueOf(
    ({ offset, value }) => (isKnown || offset !== 1n ? value : notKnown()),
    () => (isKnown = true),
  )
  renderRecords(queue, 0, recordsOf(0, 3))
  renderRecords(queue, 0, recordsOf(3, 1))
  await until(4)
  expect(shown).toEqual(['0/0=v0', '0/1=v1', '0/2=v2', '0/3=v3'])
  expect(seen.looks).toBe(1)
})

test('however many records of an unknown contract come at once, the tables are followed once', async () => {
  const { queue, shown, seen, until } = queueOf(({ offset, value }) =>
    offset === 99n ? value : notKnown(),
  )
  renderRecords(queue, 0, recordsOf(0, 100))
  await until(1)
  expect([shown, seen.looks]).toEqual([['0/99=v99'], 1])
})

test('tables that cannot be followed hold up nothing', async () => {
  const { queue, shown, until } = queueOf(
    ({ offset, value }) => (offset === 0n ? notKnown() : value),
    () => {
      throw new AppError('kafka.unavailable', 'Kafka does not answer')
    },
  )
  renderRecords(queue, 0, recordsOf(0, 2))
  await until(1)
  expect(shown).toEqual(['0/1=v1'])
})

test('more than may wait is said once, and nothing is shown after it', async () => {
  const { queue, shown, seen } = queueOf()
  const half = Buffer.alloc(queuedBytesMax / 2 + 1)
  renderRecords(queue, 0, recordsOf(0, 25))
  renderRecords(queue, 0, [recordOf(25, half)])
  renderRecords(queue, 0, [recordOf(26, half)])
  renderRecords(queue, 0, recordsOf(27, 1))
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
  expect(seen.full).toBe(1)
  expect(shown.length).toBeLessThanOrEqual(20)
})

test('what has been shown no longer counts as waiting', async () => {
  const { queue, seen, until } = queueOf()
  const half = Buffer.alloc(queuedBytesMax / 2)
  for (let offset = 0; offset < 5; offset += 1) {
    renderRecords(queue, 0, [recordOf(offset, half)])
    await until(offset + 1)
  }
  expect(seen.full).toBe(0)
})

test('a closed queue shows nothing more', async () => {
  const { queue, shown } = queueOf()
  renderRecords(queue, 0, recordsOf(0, 100))
  closeQueue(queue)
  const before = shown.length
  renderRecords(queue, 0, recordsOf(100, 1))
  for (let turn = 0; turn < 10; turn += 1) await setImmediate()
  expect(shown).toHaveLength(before)
})
