// Two handles on one broker. One handle's prefix is the beginning of the other handle's prefix. In every operation the
// same name stands for different topics, groups, ids or ACLs.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'

import {
  createAcls,
  createAdmin,
  createBatchProducer,
  createFetcher,
  createKafka,
  createLogScan,
  createPositions,
  createRangeReader,
  createTransactor,
  followTopics,
  tailTopic,
} from '../../src/index.ts'
import type { Acl, Acls, Admin, Kafka } from '../../src/index.ts'
import { BROKERS, log, plainKafka, uniqueName } from '../support.ts'

const outer = `${uniqueName('p')}.`
const inner = `${outer}b.`
const topics = ['in', 'out', 'out.dead', 'log'] as const
const outside = plainKafka().admin()

type Space = { readonly kafka: Kafka; readonly admin: Admin }
const open = (prefix: string): Space => {
  const kafka = createKafka({ brokers: BROKERS, prefix, clientId: 'weir-test', log })
  return { kafka, admin: createAdmin(kafka) }
}
const one = open(outer)
const other = open(inner)
const all = open('')

beforeAll(async () => {
  await outside.connect()
  for (const { admin } of [one, other])
    for (const topic of topics) await admin.topics.create({ topic, partitions: 1 })
})

afterAll(async () => {
  for (const { admin } of [one, other])
    await Promise.all(topics.map((topic) => admin.topics.delete(topic)))
  await Promise.all([one, other, all].map(({ admin }) => admin.close()))
  await outside.disconnect()
})

async function produce({ kafka }: Space, topic: string, value: string): Promise<void> {
  const limits = { produceTimeoutMs: 30_000, inFlightBytesMax: 1_000_000 }
  const producer = createBatchProducer(kafka, limits)
  const record = { key: 'k', value: Buffer.from(value), headers: {}, timestampMs: Date.now() }
  await producer.send(topic, 0, record)
  await new Promise<void>((resolve, reject) =>
    producer.post({ topic, partition: 0 }, record, { resolve, reject }),
  )
  await producer.close()
}

async function transact({ kafka }: Space, topic: string, value: string): Promise<void> {
  const transactor = createTransactor(kafka, { transactionalId: 'writer', timeoutMs: 30_000 })
  await transactor.fence()
  await transactor.transaction((transaction) =>
    transaction.send([{ topic, partition: 0, key: 'k', value }]),
  )
  await transactor.close()
}

async function commit({ kafka }: Space, topic: string): Promise<void> {
  const positions = createPositions(kafka)
  await positions.commit('group', [{ topic, partition: 0, offset: 1n, metadata: '' }])
  await positions.close()
}

async function valuesIn({ kafka, admin }: Space, topic: string): Promise<string[]> {
  const reader = createRangeReader(kafka)
  const [from = 0n] = await admin.offsets.earliest(topic)
  const [to = 0n] = await admin.offsets.ends(topic, { isolation: 'read_committed' })
  const values: string[] = []
  await reader.read({ topic, partition: 0, from, to }, (records) => {
    values.push(...records.map(({ value }) => String(value)))
  })
  await reader.close()
  return values
}

test('what one writes the other never reads, in whatever way', async () => {
  await produce(one, 'log', 'mine')
  await transact(one, 'log', 'mine too')
  await commit(one, 'log')
  await produce(other, 'log', 'theirs')

  expect(await valuesIn(one, 'log')).toEqual(['mine', 'mine', 'mine too'])
  expect(await valuesIn(other, 'log')).toEqual(['theirs', 'theirs'])
  expect(await one.admin.groups.committedOffsets('group', 'log')).toEqual([1n])
  expect(await other.admin.groups.committedOffsets('group', 'log')).toEqual([undefined])
  expect(await followed(one)).toEqual(['log mine', 'log mine', 'log mine too'])
  expect(await followed(other)).toEqual(['log theirs', 'log theirs'])
  expect(await fetched(one)).toEqual(['mine', 'mine', 'mine too'])
  expect(await fetched(other)).toEqual(['theirs', 'theirs'])
  expect(await tailed(other)).toEqual(['theirs', 'theirs'])
  expect(await scanned(other)).toEqual(['theirs', 'theirs'])
  expect(await one.admin.groups.delete('group')).toBe('deleted')
})

async function followed({ kafka }: Space): Promise<string[]> {
  const seen: string[] = []
  const follower = followTopics(kafka, {
    topics: ['log'],
    onRecord: ({ topic, value }) => void seen.push(`${topic} ${String(value)}`),
    onReset: () => void seen.splice(0),
  })
  await follower.start()
  await follower.catchUp(['log'])
  expect(follower.position('log')).toBeGreaterThanOrEqual(BigInt(seen.length))
  await follower.close()
  return seen
}

async function fetched({ kafka, admin }: Space): Promise<string[]> {
  const [end] = await admin.offsets.ends('log', { isolation: 'read_committed' })
  const seen: string[] = []
  let at = 0n
  const following = createFetcher(kafka).follow(
    { topic: 'log', partition: 0, from: 0n, isolation: 'read_committed' },
    {
      onRecords(records, next) {
        at = next
        seen.push(...records.map(({ value }) => String(value)))
      },
      onLost: ({ why }) => void seen.push(why),
      onGone: () => void seen.push('gone'),
    },
  )
  await pollUntil(() => at === end, { deadlineMs: 60_000, what: 'what is fetched' })
  following.close()
  return seen
}

async function tailed({ kafka }: Space): Promise<string[]> {
  const seen: string[] = []
  const tail = tailTopic(kafka, {
    topic: 'log',
    fromOffsets: [0n],
    onRecords: (_, records) => void seen.push(...records.map(({ value }) => String(value))),
    onStopped: () => {},
  })
  await pollUntil(() => seen.length >= 2, { deadlineMs: 60_000, what: 'the tail' })
  tail.close()
  return seen
}

async function scanned({ kafka }: Space): Promise<string[]> {
  const seen: string[] = []
  const scan = createLogScan(kafka)
  await scan.scan('log', ({ value }) => void seen.push(String(value)))
  await scan.close()
  return seen
}

test('who owns logs, and writes them in transactions, owns them by their own names', async () => {
  const partitions = ['out', 'out.dead'].map((topic) => ({ topic, partition: 0 }))
  const logs = { partitions, linkHeader: 'about' }
  const owns = { transactionalId: 'owner', timeoutMs: 30_000, logs }
  const [mine, theirs] = [one, other].map(({ kafka }) => createTransactor(kafka, owns))
  await mine?.fence()
  await theirs?.fence()
  await mine?.transaction(({ send }) =>
    send(partitions.map((place) => ({ ...place, key: null, value: 'mine' }))),
  )
  await Promise.all([mine?.close(), theirs?.close()])

  expect([await valuesIn(one, 'out'), await valuesIn(one, 'out.dead')]).toEqual([
    ['mine'],
    ['mine'],
  ])
  expect([await valuesIn(other, 'out'), await valuesIn(other, 'out.dead')]).toEqual([[], []])
}, 180_000)

test('fencing, deleting and setting up are of the own names; Kafka’s own topics are shared', async () => {
  const options = { transactionalId: 'fenced', timeoutMs: 30_000 }
  const theirs = createTransactor(other.kafka, options)
  await theirs.fence()
  await one.admin.groups.fence('fenced')
  await one.admin.configs.setTopic('log', { 'retention.ms': '1234567' })

  await theirs.transaction((tx) => tx.send([{ topic: 'log', partition: 0, key: null, value: 'x' }]))
  await theirs.close()
  const settings = await other.admin.configs.topics(['log', '__consumer_offsets'])
  expect([...settings.keys()].toSorted()).toEqual(['__consumer_offsets', 'log'])
  expect((await one.admin.configs.topic('log'))['retention.ms']).toBe('1234567')
  expect(settings.get('log')?.own).toEqual({})

  expect(await one.admin.topics.exists('b.log')).toBe(true)
  await one.admin.topics.delete('log')
  expect(await other.admin.topics.exists('log')).toBe(true)
  expect(await outside.listTopics()).not.toContain(`${outer}log`)
})

test('a principal loses what he may under one prefix, and nothing under another', async () => {
  const principal = `User:${uniqueName('principal')}`
  const acl: Acl = {
    principal,
    resource: 'topic',
    name: 't',
    pattern: 'literal',
    operation: 'read',
  }
  const [mine, theirs, every] = [
    createAcls(one.kafka),
    createAcls(other.kafka),
    createAcls(all.kafka),
  ]
  await mine.allow([acl])
  await theirs.allow([acl])

  const namesIn = async (acls: Acls) =>
    (await acls.list()).filter((found) => found.principal === principal).map(({ name }) => name)
  expect((await namesIn(every)).toSorted()).toEqual([`${inner}t`, `${outer}t`])
  expect(await namesIn(theirs)).toEqual(['t'])

  await theirs.disallow([principal])
  expect(await namesIn(every)).toEqual([`${outer}t`])
  await mine.revoke([acl])
  expect(await namesIn(every)).toEqual([])
  await Promise.all([mine, theirs, every].map((acls) => acls.close()))
})
