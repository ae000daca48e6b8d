// Many partitions are followed while their broker is killed, and while it hangs.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Kafka as KafkaJs, logLevel } from 'kafkajs'
import type { Producer } from 'kafkajs'

import { pollUntil } from '@weir/kit'

import { createFetcher } from '../../src/read/fetcher.ts'
import type { Following } from '../../src/read/fetcher.ts'
import { lookFromOutside, startOwnBroker } from '../support-broker.ts'
import type { Outside, OwnBroker } from '../support-broker.ts'
import { connect } from '../support.ts'

const PARTITIONS = 500
const within = { deadlineMs: 60_000, everyMs: 20 }
let broker: OwnBroker
let outside: Outside
let producer: Producer
const followings: Following[] = []
const seen: string[][] = Array.from({ length: PARTITIONS }, () => [])

beforeAll(async () => {
  broker = await startOwnBroker()
  outside = await lookFromOutside(broker.brokers)
  await outside.makeTopic('many', PARTITIONS)
  const kafka = new KafkaJs({ brokers: broker.brokers, logLevel: logLevel.NOTHING })
  producer = kafka.producer({ allowAutoTopicCreation: false, retry: { retries: 0 } })
  await producer.connect()
  const fetcher = createFetcher(connect(broker.brokers))
  for (const [partition, values] of seen.entries())
    followings.push(
      fetcher.follow(
        { topic: 'many', partition, from: 0n, isolation: 'read_committed' },
        {
          onRecords: (records) =>
            void values.push(...records.map(({ offset, value }) => `${offset}=${String(value)}`)),
          onLost: ({ why }) => void values.push(why),
          onGone: () => void values.push('gone'),
        },
      ),
    )
})

afterAll(async () => {
  for (const following of followings) following.close()
  await producer.disconnect()
  await outside.close()
  await broker.stop()
})

async function write(value: string, ...partitions: number[]): Promise<void> {
  const messages = partitions.map((partition) => ({ partition, value }))
  await pollUntil(
    () =>
      producer.send({ topic: 'many', messages }).then(
        () => true,
        () => false,
      ),
    within,
  )
}

/** Returns the values read from a partition, without a writer's duplicates. Checks that no offset is missing. */
function valuesOf(partition: number): string[] {
  const parts = seen[partition]?.map((text) => text.split('=')) ?? []
  expect(parts.map(([offset]) => offset)).toEqual(parts.map((_, index) => `${index}`))
  return [...new Set(parts.map(([, value]) => value ?? ''))]
}

const haveCome = (value: string, ...partitions: number[]) =>
  pollUntil(
    () => partitions.every((one) => seen[one]?.some((text) => text.endsWith(value))),
    within,
  )

test('what is written to some of many comes, also after the broker was killed, and while it hung', async () => {
  const some = [0, 7, 250, PARTITIONS - 1]
  await write('first', ...some)
  await haveCome('first', ...some)

  await broker.kill()
  await broker.start()
  await write('after the kill', 3, ...some)
  await haveCome('after the kill', 3, ...some)

  broker.pause()
  // Longer than a response may take.
  await new Promise((resolve) => setTimeout(resolve, 12_000))
  broker.resume()
  await write('after the pause', 4, ...some)
  await haveCome('after the pause', 4, ...some)

  for (const partition of some)
    expect(valuesOf(partition)).toEqual(['first', 'after the kill', 'after the pause'])
  expect([valuesOf(3), valuesOf(4), valuesOf(5)]).toEqual([
    ['after the kill'],
    ['after the pause'],
    [],
  ])
}, 240_000)
