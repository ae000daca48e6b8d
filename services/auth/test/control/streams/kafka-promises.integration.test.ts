// auth with a Kafka that has other settings: auth sets missing topic settings, and reports the rest. The test run has
// only one broker, so other cases use invented settings.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createAdmin, createKafka } from '@weir/kafka'
import type { Admin, TopicSettings } from '@weir/kafka'
import { createLog } from '@weir/kit'
import { allPins, pinsOf } from '../../../src/control/streams/topic-pins.ts'
import { freshName, kafkaBrokers } from '@weir/testkit'
import { createKafkaPromises } from '../../../src/control/streams/kafka-promises.ts'
import type { PromisesDeps } from '../../../src/control/streams/kafka-promises.ts'

const inputPins = pinsOf({ kind: 'input' })
const silent = createLog('auth-test', 'silent')
const topic = freshName('promises')
let admin: Admin

beforeAll(() => {
  admin = createAdmin(createKafka({ brokers: kafkaBrokers(), clientId: 'test', log: silent }))
})
afterAll(async () => {
  await admin.topics.delete(topic)
  await admin.close()
})

function promises(more: Partial<PromisesDeps> = {}) {
  const warnings: string[] = []
  const log = { ...silent, warn: (_: object, sentence: string) => void warnings.push(sentence) }
  const made = createKafkaPromises({
    configs: admin.configs,
    log: Object.assign(Object.create(silent), log),
    topics: () => new Map([[topic, inputPins]]),
    topicReplication: undefined,
    kafkaPrefix: '',
    isRequired: true,
    ...more,
  })
  return { ...made, warnings }
}

test('a topic gets what it lacks, keeps what somebody has set on it, and what was found is told once', async () => {
  const set = { 'message.timestamp.type': 'LogAppendTime', 'retention.ms': '12345' }
  await admin.topics.create({ topic, partitions: 2, config: set })

  const { check, warnings } = promises()
  await check()
  await check()

  expect((await admin.configs.topics([topic])).get(topic)?.own).toEqual({
    ...set,
    'max.message.bytes': '4194304',
  })
  const told = (setting: string) => warnings.filter((one) => one.includes(`${setting} is `))
  expect(told('message.timestamp.type')).toEqual([
    `Kafka: message.timestamp.type is LogAppendTime on ${topic}; set it to CreateTime: Weir creates its topics with this value, and someone changed it`,
  ])
  expect(told('min.insync.replicas')).toEqual([
    `Kafka: min.insync.replicas is 1 on ${topic}; set it to 2: an event is acknowledged when only one copy exists`,
  ])
  expect(told('replication (default.replication.factor)')).toHaveLength(1)
})

test('how long a stream keeps its records is set again when somebody has changed it', async () => {
  const kept = freshName('kept')
  const pins = pinsOf({ kind: 'derived', retentionHours: 48 })
  await admin.topics.create({ topic: kept, partitions: 1, config: allPins(pins, 1) })
  const before = (await admin.configs.topics([kept])).get(kept)?.own ?? {}
  expect(before).toMatchObject({ 'retention.ms': '172800000', 'segment.ms': '7200000' })
  await admin.configs.setTopic(kept, { ...before, 'retention.ms': '-1', 'flush.ms': '1000' })

  const { check, warnings } = promises({ topics: () => new Map([[kept, pins]]) })
  await check()

  const after = (await admin.configs.topics([kept])).get(kept)?.own
  expect(after).toEqual({ ...before, 'flush.ms': '1000' })
  expect(warnings.filter((one) => one.includes('retention.ms'))).toEqual([])
  await admin.topics.delete(kept)
})

test('where durability is required, it is not ready, and says what to set; where it is not, it is', async () => {
  const required = promises()
  await required.check()
  expect(required.notReady()).toContain(
    `Kafka: min.insync.replicas is 1 on ${topic}; set it to 2: an event is acknowledged when only one copy exists`,
  )
  const not = promises({ isRequired: false })
  await not.check()
  expect(not.notReady()).toEqual([])
})

const durable: Record<string, string> = {
  'min.insync.replicas': '2',
  'unclean.leader.election.enable': 'false',
  'transaction.state.log.min.isr': '2',
  'offsets.topic.replication.factor': '3',
  'transaction.state.log.replication.factor': '3',
  'auto.create.topics.enable': 'false',
  'offsets.retention.minutes': '129600',
  ...allPins(inputPins, 3),
}

function madeUp({ broker = {}, on = {}, replication = 3 }: MadeUp = {}): PromisesDeps['configs'] {
  const own: Record<string, string> = {}
  return {
    topics: async (topics) =>
      new Map(
        topics
          .filter((name) => !name.startsWith('__'))
          .map((name): [string, TopicSettings] => [
            name,
            { replication, config: { ...durable, ...on, ...own }, own },
          ]),
      ),
    setTopic: async (_, config) => void Object.assign(own, config),
    brokers: async () =>
      new Map([
        ['0', durable],
        ['1', { ...durable, ...broker }],
      ]),
  }
}
type MadeUp = {
  broker?: Record<string, string>
  on?: Record<string, string>
  replication?: number
}

test('a Kafka of three brokers that keeps what it acknowledges is found to do so', async () => {
  const { check, notReady, warnings } = promises({ configs: madeUp() })
  await check()
  expect({ reasons: notReady(), warnings }).toEqual({ reasons: [], warnings: [] })
})

test('a topic that takes what brokers default to gets every setting of its own', async () => {
  const defaults = {
    'min.insync.replicas': '1',
    'unclean.leader.election.enable': 'true',
    'compression.type': 'zstd',
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': '1048588',
    'cleanup.policy': 'compact',
  }
  const made = madeUp({ on: defaults })
  await promises({ configs: made }).check()
  expect((await made.topics([topic])).get(topic)?.own).toEqual(allPins(inputPins, 3))
})

test("a derived stream's topics get the broker's time", async () => {
  const derivedPins = pinsOf({ kind: 'derived' })
  const made = madeUp({ on: { 'message.timestamp.type': 'CreateTime' } })
  await promises({ configs: made, topics: () => new Map([[topic, derivedPins]]) }).check()
  expect((await made.topics([topic])).get(topic)?.own).toMatchObject({
    'message.timestamp.type': 'LogAppendTime',
  })
})

test('topics on three brokers get min.insync.replicas=2 and no unclean election', async () => {
  const on = { 'min.insync.replicas': '1', 'unclean.leader.election.enable': 'true' }
  const { check, notReady, warnings } = promises({ configs: madeUp({ on }) })
  await check()
  expect({ reasons: notReady(), warnings }).toEqual({ reasons: [], warnings: [] })
})

test.each([
  ['unclean.leader.election.enable', 'true', true],
  ['transaction.state.log.min.isr', '1', true],
  ['offsets.topic.replication.factor', '1', true],
  ['transaction.state.log.replication.factor', '2', true],
  ['auto.create.topics.enable', 'true', false],
  ['offsets.retention.minutes', '10080', false],
])(
  'a broker with %s=%s is told of, and keeps auth from being ready: %s',
  async (setting, value, mayLose) => {
    const { check, notReady, warnings } = promises({
      configs: madeUp({ broker: { [setting]: value } }),
    })
    await check()
    expect(warnings).toEqual([
      expect.stringContaining(`Kafka: ${setting} is ${value} on broker 1; set it to `),
    ])
    expect(notReady()).toEqual(mayLose ? warnings : [])
  },
)

test('what is put right is no reason any more', async () => {
  const broker: Record<string, string> = { 'transaction.state.log.min.isr': '1' }
  const { check, notReady } = promises({ configs: madeUp({ broker }) })
  await check()
  expect(notReady()).toHaveLength(1)
  delete broker['transaction.state.log.min.isr']
  await check()
  expect(notReady()).toEqual([])
})

test('topics on fewer than three brokers are told of', async () => {
  const { check, notReady } = promises({ configs: madeUp({ replication: 2 }), topicReplication: 2 })
  await check()
  expect(notReady()).toEqual([
    `Kafka: replication (TOPIC_REPLICATION) is 2 on ${topic}; set it to 3: acknowledged events are lost with the disk of one broker`,
  ])
})
