// The topics of a derived stream that is created again under its name. Clients that wrote to the former topics without
// transactions can't write to the new ones.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { deadLetterTopicOf, topicOf, transactionalIdOf } from '@weir/control-state'
import type { DerivedStream } from '@weir/control-state'
import { createAdmin, createAppender, createFencer, createKafka, encodeRecord } from '@weir/kafka'
import type { Acquired, Admin, Appender, Fencer, LanePlace } from '@weir/kafka'
import { createLog } from '@weir/kit'
import { freshName, kafkaBrokers } from '@weir/testkit'
import { derivedStream, inputStream } from '../../../../../packages/control-state/test/support.ts'
import { createStreamTopics } from '../../../src/control/streams/stream-topics.ts'
import type { StreamTopics } from '../../../src/control/streams/stream-topics.ts'

const output: DerivedStream = derivedStream(
  inputStream({ billingId: freshName('anew'), partitions: 2 }),
)
const names = [topicOf(output), deadLetterTopicOf(output)]
let admin: Admin
let fencer: Fencer
let appender: Appender
let topics: StreamTopics

beforeAll(() => {
  const log = createLog('auth-test', 'silent')
  const kafka = createKafka({ brokers: kafkaBrokers(), clientId: 'test', log })
  admin = createAdmin(kafka)
  fencer = createFencer(kafka)
  appender = createAppender(kafka)
  topics = createStreamTopics({ ...admin, fencer }, undefined)
})

afterAll(async () => {
  for (const topic of names) await admin.topics.delete(topic)
  appender.close()
  fencer.close()
  await admin.close()
})

const acquire = (partition: number): Promise<Acquired> =>
  fencer.acquire({
    transactionalId: transactionalIdOf(output, partition),
    partitions: names.map((topic) => ({ topic, partition })),
    deadlineMs: 60_000,
  })

async function append(place: LanePlace): Promise<bigint> {
  const lane = appender.lane(place)
  const record = { key: 'k', value: Buffer.from('v'), headers: {}, timestampMs: Date.now() }
  try {
    return await lane.append([encodeRecord(record)])
  } finally {
    lane.close()
  }
}

const ends = () =>
  Promise.all(names.map((topic) => admin.offsets.ends(topic, { isolation: 'read_uncommitted' })))

test('what an owner of former topics sends into new ones of the same names is refused, from the first offset on', async () => {
  expect(await topics.make(output)).toBeUndefined()
  const former = await Promise.all([0, 1].map(acquire))
  const places = names.flatMap((topic) =>
    former.map(({ identity }, partition) => ({ topic, partition, identity })),
  )
  for (const place of places) await append(place)
  await topics.endDerivation(output)
  for (const topic of names) await topics.delete(topic)

  expect(await topics.make(output)).toBeUndefined()

  const made = await ends()
  expect(made.flat().every((end) => end > 0n)).toBe(true)
  for (const place of places)
    await expect(append(place)).rejects.toMatchObject({ code: 'kafka.fenced' })
  expect(await ends()).toEqual(made)
  for (const topic of names) expect(await admin.topics.isEmpty(topic)).toBe(true)
  const { identity } = await acquire(1)
  await append({ topic: topicOf(output), partition: 1, identity })
})
