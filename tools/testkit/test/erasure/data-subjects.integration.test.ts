// Erasing a data subject, end to end. The key fields name devices. One person has two devices, with events of two
// contracts in two eras. Another person is not erased. The first services have clocks in a past era.

import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Contract } from '@weir/contracts'
import { pollUntil } from '@weir/kit'

import {
  account as accountAt,
  asObject,
  signUp,
  exampleEvent,
  expectStatus,
  freshName,
  listIn,
  textIn,
} from '../../src/world/account.ts'
import type { Account, TestStream } from '../../src/world/account.ts'
import { connectProducer } from '../../src/world/producer.ts'
import { inLastTerm } from '../../src/world/shifted-clock.ts'
import { openOwnNames } from '../../src/world/own-stack.ts'
import type { OwnNames } from '../../src/world/own-stack.ts'
import type { World } from '../../src/world/services.ts'
import { compiledExample, plainEvent } from '../../src/world/topic.ts'

const subjectFields = { clickstream: 'customer/id', demo_v1: 'unique_identifier' } as const
type ContractName = keyof typeof subjectFields
type Sent = readonly [contract: ContractName, subject: string, device: string]

let own: OwnNames
let world: World
let account: Account
let input: TestStream
let sent = 0

beforeAll(async () => {
  own = await openOwnNames('subjects')
  const past = await own.startWorld(inLastTerm())
  try {
    account = await signUp(past.auth.url)
    for (const name of ['clickstream', 'demo_v1'] as const) await makeContract(name)
    // longer than a term, so that no key of the previous term expires
    input = await account.input('events', { keyRetentionDays: 3_650 })
    await own.keepForEver(input)
    await send(past, ['clickstream', 'ada', 'ada-phone'], ['clickstream', 'bob', 'bob-phone'])
  } finally {
    await past.stop()
  }
  world = await own.startWorld()
  account = accountAt(world.auth.url, account.billingId, account.apiKey)
  await send(
    world,
    ['clickstream', 'ada', 'ada-phone'],
    ['demo_v1', 'ada', 'ada-tablet'],
    ['demo_v1', 'bob', 'bob-phone'],
  )
}, 180_000)

afterAll(async () => {
  await own?.close()
})

const makeContract = (name: ContractName): Promise<void> =>
  account.contract(name, { data_subject_field: subjectFields[name] })

async function eventOf([contract, subject, device]: Sent) {
  const example = await exampleEvent(contract)
  const svcMeta = { ...asObject(example['svcMeta']), consentLevels: [0, 1, 2, 3] }
  return contract === 'clickstream'
    ? {
        ...example,
        svcMeta,
        producerSessionId: device,
        referrer: device,
        customer: { id: subject },
      }
    : {
        ...example,
        svcMeta,
        consistent_value: device,
        unique_identifier: { string: subject },
        some_sensitive_value: { string: `secret of ${subject}` },
        not_sensitive_value: { string: device },
      }
}

async function send({ auth, ingest }: World, ...events: readonly Sent[]): Promise<void> {
  const token = await accountAt(auth.url, account.billingId, account.apiKey).token(input)
  const producer = await connectProducer(ingest.url)
  for (const event of events) {
    const [schemaId] = event
    const { status, body } = await producer.send(await eventOf(event), { token, schemaId })
    expect([status, body]).toEqual([204, ''])
    sent += 1
  }
  producer.close()
}

type Replayed = { readonly device: unknown; readonly subject: unknown; readonly sealed: string[] }

/** Derives all events, from the first, into a new output with all levels. */
async function replay(): Promise<Replayed[]> {
  const name = freshName('all')
  const output = await account.output('events', name, { consentLevels: [3], from: 'earliest' })
  await own.keepForEver(output)
  const contracts: Record<ContractName, Contract> = {
    clickstream: await compiledExample('clickstream'),
    demo_v1: await compiledExample('demo_v1'),
  }
  const records = await own.reader.readUntil(output.topic, sent, 60_000)
  return records.map((record) => {
    const isDemo = record.headers['svc-schema-id']?.toString() === 'demo_v1'
    const plain = plainEvent(contracts[isDemo ? 'demo_v1' : 'clickstream'], record)
    const sealed = record.headers['svc-undecryptable']?.toString().split(',') ?? []
    return isDemo
      ? { device: plain['not_sensitive_value'], subject: plain['unique_identifier'], sealed }
      : { device: plain['referrer'], subject: asObject(plain['customer'])['id'], sealed }
  })
}

const isOf = (who: string) => (each: Replayed) => String(each.device).startsWith(who)

const path = '/v2/streams/events'
async function kept(subject: string): Promise<{ links: unknown; terms: number }> {
  const { body } = expectStatus(
    await account.call('POST', `${path}/subjects/lookup`, { subject }),
    200,
  )
  return { links: body['links'], terms: listIn(body, 'terms').length }
}

async function erase(subject: string, more: object = {}): Promise<Record<string, unknown>> {
  const { body } = expectStatus(
    await account.call('POST', `${path}/erasures`, { subject, ...more }),
    201,
  )
  const isApplied = async () =>
    (await account.call('GET', `${path}/erasures/${textIn(body, 'id')}`)).body['state'] !==
    'accepted'
  await pollUntil(isApplied, {
    deadlineMs: 60_000,
    everyMs: 100,
    what: 'the erasure to be applied',
  })
  return body
}

test('what is kept of a data subject is told by number, and of nobody nothing', async () => {
  expect(await kept('ada')).toEqual({ links: 3, terms: 2 })
  expect(await kept('bob')).toEqual({ links: 2, terms: 2 })
  expect(await kept('ada-phone')).toEqual({ links: 0, terms: 0 })
  const refused = await account.call('POST', `${path}/erasures`, { subject: 'nobody at all' })
  expect([refused.status, refused.body['code']]).toEqual([409, 'none_found'])
  expect(refused.text).not.toContain('nobody at all')
  for (const body of [{}, { subject: '' }, { subject: 'a', keyFieldValue: 'b' }, { subject: 7 }])
    expect((await account.call('POST', `${path}/erasures`, body)).status).toBe(422)
})

test('erased, all devices of a data subject stay encrypted for ever, and another person’s open as before', async () => {
  const before = await replay()
  expect(before.filter(isOf('ada')).map(({ subject }) => subject)).toEqual(['ada', 'ada', 'ada'])
  const bobs = before.filter(isOf('bob'))

  const erasure = await erase('ada')
  expect(erasure).toMatchObject({ values: 1, links: 3 })
  // The topics have no retention, so nobody knows when the output is clear.
  expect(listIn(erasure, 'outputs')).toEqual([
    {
      name: expect.stringMatching(/^all-/),
      levels: [0, 1, 2, 3],
      foundLevels: [0, 1, 2, 3],
      events: 3,
      clearAt: 'unknown',
      because: expect.stringContaining('keeps its records for ever (retention.ms)'),
    },
  ])

  await send(world, ['demo_v1', 'ada', 'ada-tablet'])
  const after = await replay()
  const adas = after.filter(isOf('ada'))
  expect(adas.filter(({ sealed }) => sealed.length > 0)).toHaveLength(3)
  expect(adas.filter(({ subject }) => subject === 'ada')).toHaveLength(1)
  expect(after.filter(isOf('bob'))).toEqual(bobs)
  expect(bobs.every(({ sealed }) => sealed.length === 0)).toBe(true)
  // Only the event after the erasure counts.
  expect(await kept('ada')).toEqual({ links: 1, terms: 1 })
})

test('withdrawn, other levels stay readable, and can still be erased by the data subject', async () => {
  await erase('bob', { levels: [2] })
  const withdrawn = (await replay()).filter(isOf('bob'))
  expect(withdrawn.map(({ subject }) => subject)).toEqual(['bob', 'bob'])
  expect(withdrawn.flatMap(({ sealed }) => sealed)).toContain('consistent_value')
  expect(await kept('bob')).toEqual({ links: 2, terms: 2 })
  await erase('bob')
  const erased = (await replay()).filter(isOf('bob'))
  expect(erased.every(({ subject, sealed }) => subject !== 'bob' && sealed.length > 0)).toBe(true)
})

test('no data subject is in control state, in what is kept, in the audit log or in a log', async () => {
  const topics = ['weir.control', 'weir.keys', 'weir.subjects', 'weir.audit']
  const records = (await Promise.all(topics.map((topic) => own.reader.read(topic)))).flat()
  const texts = [
    ...records.flatMap(({ key, value }) => [String(key), String(value)]),
    ...world.logLines(),
  ]
  for (const name of ['"ada"', '"bob"', 'nobody at all'])
    expect(texts.filter((text) => text.includes(name))).toEqual([])
  const audited = records.filter(({ value }) => String(value).includes('"subject.lookup"'))
  expect(audited.length).toBeGreaterThanOrEqual(3)
})
