// What `openTopic` reads, and how reading ends, with a real broker.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { kafkaBrokers } from '@weir/testkit'
import { openTopic } from '../../src/index.ts'
import type { TopicRecord } from '../../src/index.ts'
import { connectTo, numbered, readWhole, textOf, textsOf } from './support.ts'
import type { Broker } from './support.ts'

let broker: Broker

beforeAll(async () => {
  broker = await connectTo(kafkaBrokers())
})
afterAll(() => broker?.close())

describe('a topic is read', () => {
  test('whole, one partition after the other, each in order, as often as wanted', async () => {
    const name = await broker.makeTopic(3)
    await broker.write(name, [...numbered(500, 2), ...numbered(300, 0)])
    const topic = await openTopic(broker.optionsOf(name))
    const progress: number[] = []

    const texts: string[] = []
    await topic.read(
      async (record) => void texts.push(textOf(record)),
      (offsets) => progress.push(offsets),
    )
    const again = await textsOf(topic)
    await topic.close()

    expect(topic.size).toBe(800)
    expect(texts).toEqual([...numbered(300, 0), ...numbered(500, 2)].map(asText))
    expect(again).toEqual(texts)
    expect(progress.at(-1)).toBe(800)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
  })

  test('with keys, times, headers and values without content', async () => {
    const name = await broker.makeTopic()
    const headers = { one: 'first', two: ['a', 'b'] }
    await broker.write(name, [
      { key: 'k', value: 'v', timestamp: '1700000000123', headers },
      { key: null, value: null, timestamp: '1700000000124' },
    ])
    const records: TopicRecord[] = []
    const topic = await openTopic(broker.optionsOf(name))
    await topic.read((record) => void records.push(record))
    await topic.close()

    expect(records).toEqual([
      {
        partition: 0,
        offset: 0n,
        timestampMs: 1_700_000_000_123,
        key: Buffer.from('k'),
        value: Buffer.from('v'),
        headers: { one: Buffer.from('first'), two: Buffer.from('b') },
      },
      {
        partition: 0,
        offset: 1n,
        timestampMs: 1_700_000_000_124,
        key: null,
        value: null,
        headers: {},
      },
    ])
  })

  test('without what was aborted, though markers and aborted records are its last offsets', async () => {
    const name = await broker.makeTopic(3)
    await broker.commit(name, numbered(10, 0))
    await broker.abort(name, [...numbered(5, 0, 10), ...numbered(5, 1)])
    await broker.commit(name, numbered(3, 0, 15))
    await broker.abort(name, numbered(4, 0, 18))

    const texts = await readWhole(broker.optionsOf(name))

    expect(texts).toEqual([...numbered(10, 0), ...numbered(3, 0, 15)].map(asText))
  })

  test('when it is empty', async () => {
    expect(await readWhole(broker.optionsOf(await broker.makeTopic(2)))).toEqual([])
  })

  test('from its first record that is not deleted', async () => {
    const name = await broker.makeTopic(2)
    await broker.write(name, [...numbered(20, 0), ...numbered(5, 1)])
    await broker.deleteBefore(name, 0, '18')
    await broker.deleteBefore(name, 1, '5')

    expect(await readWhole(broker.optionsOf(name))).toEqual(numbered(2, 0, 18).map(asText))
  })

  test('from the first records of a time', async () => {
    const name = await broker.makeTopic(2)
    const at = (ms: number, partition: number) => ({
      value: `v${ms}`,
      partition,
      timestamp: `${ms}`,
    })
    await broker.write(name, [at(1_000, 0), at(2_000, 0), at(3_000, 0), at(1_500, 1)])

    const readFrom = (fromMs: number) => readWhole(broker.optionsOf(name), { fromMs })
    expect(await readFrom(2_000)).toEqual(['0 v2000', '0 v3000'])
    expect(await readFrom(1_500.5)).toEqual(['0 v2000', '0 v3000', '1 v1500'])
    expect(await readFrom(3_001)).toEqual([])
    expect(await readFrom(-5)).toHaveLength(4)
  })

  test('to its end when it was opened, whatever is written meanwhile', async () => {
    const name = await broker.makeTopic()
    await broker.write(name, numbered(3, 0))
    const topic = await openTopic(broker.optionsOf(name))
    await broker.write(name, numbered(3, 0, 3))
    const texts: string[] = []
    await topic.read(async (record) => {
      texts.push(textOf(record))
      await broker.write(name, numbered(1, 0, 6))
    })
    await topic.close()
    expect(texts).toEqual(numbered(3, 0).map(asText))
  })

  test('also if the rest of it is deleted meanwhile', async () => {
    const name = await broker.makeTopic(2)
    const large = { value: 'x'.repeat(700_000) }
    for (let count = 0; count < 16; count += 1)
      await broker.write(name, [{ ...large, partition: 0 }])
    await broker.write(name, numbered(2, 1))
    const topic = await openTopic(broker.optionsOf(name))
    const texts: string[] = []
    await topic.read(async (record) => {
      if (texts.length === 0) await broker.deleteBefore(name, 0, '16')
      texts.push(textOf(record))
    })
    await topic.close()
    expect(texts.slice(-2)).toEqual(numbered(2, 1).map(asText))
    expect(texts.length).toBeLessThan(18)
  })

  test.each(['gzip', 'snappy', 'lz4', 'zstd'])(
    'when Kafka compresses it with %s',
    async (codec) => {
      const name = await broker.makeTopic(1, { 'compression.type': codec })
      const values = [
        'short',
        'x'.repeat(5_000),
        noise(3_000),
        `${'abc'.repeat(100_000)}${noise(70_000)}`,
      ]
      await broker.write(
        name,
        values.map((value) => ({ value })),
      )
      expect(await readWhole(broker.optionsOf(name))).toEqual(values.map((value) => `0 ${value}`))
    },
  )
})

describe('it ends', () => {
  test('with not_readable if there is no such topic, which it does not create', async () => {
    const name = 'test-reading-nowhere'
    await expect(openTopic(broker.optionsOf(name))).rejects.toMatchObject({
      name: 'ReadError',
      code: 'not_readable',
      message: `the topic ${name} does not exist, or these credentials may not read it`,
    })
    expect(await broker.admin.listTopics()).not.toContain(name)
  })

  test('with unreachable and the reason, if nothing listens', async () => {
    const options = { ...broker.optionsOf('any'), brokers: ['127.0.0.1:1'], connectTimeoutMs: 300 }
    await expect(openTopic(options)).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringMatching(/^Kafka is unreachable at 127\.0\.0\.1:1: .*ECONNREFUSED/),
    })
  })

  test('not, if another broker of the list is reachable', async () => {
    const name = await broker.makeTopic()
    await broker.write(name, numbered(2, 0))
    const options = broker.optionsOf(name)
    expect(await readWhole({ ...options, brokers: ['127.0.0.1:1', ...options.brokers] })).toEqual(
      numbered(2, 0).map(asText),
    )
  })

  test('with closed as soon as the signal is aborted, though a record is still worked on', async () => {
    const name = await broker.makeTopic()
    await broker.write(name, numbered(2, 0))
    const interrupted = new AbortController()
    const topic = await openTopic(broker.optionsOf(name), {}, interrupted.signal)
    const texts: string[] = []
    let finish = (): void => undefined
    const reading = topic.read((record) => {
      texts.push(textOf(record))
      interrupted.abort()
      return new Promise<void>((resolve) => (finish = resolve))
    })
    await expect(reading).rejects.toMatchObject({ name: 'ReadError', code: 'closed' })
    finish()
    await topic.close()
    expect(texts).toEqual(['0 v0'])
    await expect(textsOf(topic)).rejects.toMatchObject({ code: 'closed' })
    const late = openTopic(broker.optionsOf(name), {}, interrupted.signal)
    await expect(late).rejects.toMatchObject({ code: 'closed' })
  })

  test('with the error of a function that it calls, and can then be read again', async () => {
    const name = await broker.makeTopic()
    await broker.write(name, numbered(3, 0))
    const topic = await openTopic(broker.optionsOf(name))
    const mine = new Error('the disk is full')
    let records = 0
    const reading = topic.read(async () => {
      records += 1
      if (records === 2) throw mine
    })
    await expect(reading).rejects.toBe(mine)
    expect(records).toBe(2)
    const fail = () => {
      throw mine
    }
    await expect(topic.read(() => undefined, fail)).rejects.toBe(mine)
    expect(await textsOf(topic)).toEqual(numbered(3, 0).map(asText))
    await topic.close()
  })

  test('without a member or a committed offset in any group', async () => {
    const name = await broker.makeTopic()
    await broker.commit(name, numbered(3, 0))
    const options = broker.optionsOf(name)
    await readWhole(options)

    const all = (await broker.admin.listGroups()).groups.map(({ groupId }) => groupId)
    const ours = all.filter((id) => id.startsWith(options.groupId))
    const { groups } = await broker.admin.describeGroups(ours)
    expect(groups.flatMap(({ members }) => members)).toEqual([])
    for (const groupId of ours) {
      const offsets = await broker.admin.fetchOffsets({ groupId, topics: [name] })
      expect(offsets.flatMap(({ partitions }) => partitions.map(({ offset }) => offset))).toEqual([
        '-1',
      ])
    }
  })
})

const asText = ({ partition, value }: { partition?: number; value: unknown }): string =>
  `${partition} ${String(value)}`

function noise(length: number): string {
  let state = 7
  const next = () => (state = (state * 48_271) % 2_147_483_647)
  return Array.from({ length }, () => String.fromCharCode(33 + (next() % 90))).join('')
}
