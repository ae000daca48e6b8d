import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createAdmin, createKafka } from '@weir/kafka'
import type { Admin } from '@weir/kafka'
import { createLog } from '@weir/kit'
import {
  kafkaBrokers,
  makeAccount,
  problem,
  problemsOf,
  send,
  joinAuth,
  uniqueName,
} from '../support.ts'
import type { Account, SharedAuth } from '../support.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const secret = expect.stringMatching(/^[\w-]{43}$/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)
const limits = { eventRate: '100000', eventCount: '1000000000' }

let auth: SharedAuth
let account: Account
let admin: Admin

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
  const log = createLog('auth-test', 'silent')
  admin = createAdmin(createKafka({ brokers: kafkaBrokers.split(','), clientId: 'auth-test', log }))
})
afterAll(async () => {
  await admin.close()
  await auth.stop()
})

describe('making an input stream', () => {
  test('/v1 answers 201 with the first shape, and nothing else', async () => {
    const name = uniqueName('s')
    const reply = await account.post('/v1/streams', { name })
    expect(reply.status).toBe(201)
    expect(reply.json).toEqual({
      name,
      tags: [],
      credentials: { clientId: uuid, clientSecret: secret },
    })
    expect(reply.headers.get('cache-control')).toBe('no-store')
  })

  test('/v2 answers 201 with the second shape, and nothing else', async () => {
    const name = uniqueName('s')
    const reply = await account.post('/v2/streams', { name })
    expect(reply.status).toBe(201)
    expect(reply.json).toEqual({
      ref: { billingId: account.billingId, name },
      enabled: true,
      limits,
      credentials: [{ clientId: uuid, clientSecret: secret }],
    })
  })

  test('makes its topic, with the partitions asked for', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name, partitions: 5 })
    const topic = `${account.billingId}.${name}`
    expect(await admin.topics.partitionCount(topic)).toBe(5)
    const config = await admin.configs.topic(topic)
    expect(config['max.message.bytes']).toBe('4194304')
    expect(config['cleanup.policy']).toBe('delete')
  })

  test('keeps tags, limits, rotation and retention as they were given', async () => {
    const name = uniqueName('s')
    const given = { eventRate: '10', eventCount: '999999999999999' }
    const made = await account.post('/v1/streams', {
      name,
      tags: ['web', 'eu'],
      limits: given,
      rotationHours: 6,
      keyRetentionDays: 30,
    })
    expect(made.json).toMatchObject({ tags: ['web', 'eu'] })
    expect((await account.get(`/v2/streams/${name}`)).json).toMatchObject({
      limits: given,
      rotationHours: 6,
      keyRetentionDays: 30,
      partitions: 3,
    })
  })

  test('is refused with 409 for a name that is taken, by an input or by an output', async () => {
    const [name, output] = [uniqueName('s'), uniqueName('o')]
    await account.post('/v2/streams', { name })
    await account.post(`/v2/streams/${name}/outputs`, {
      name: output,
      consentLevels: [1],
      consentLevelType: 'CUMULATIVE',
    })
    for (const taken of [name, output]) {
      const reply = await account.post('/v2/streams', { name: taken })
      expect(reply.status).toBe(409)
      expect(reply.json).toEqual(problem(409, 'name_taken'))
    }
  })

  test('is refused with 409 for a topic that is there already, and leaves both name and topic free', async () => {
    const name = uniqueName('s')
    const topic = `${account.billingId}.${name}`
    await admin.topics.create({ topic, partitions: 1 })
    const reply = await account.post('/v2/streams', { name })
    expect(reply.status).toBe(409)
    expect(reply.json).toEqual(problem(409, 'topic_exists'))
    expect(await admin.topics.exists(topic)).toBe(true)
    await admin.topics.delete(topic)
    expect((await account.post('/v2/streams', { name })).status).toBe(201)
  })

  test('is refused with 422 and every problem at once', async () => {
    const reply = await account.post('/v2/streams', {
      name: 'No_Good',
      tags: 'web',
      limits: { eventRate: '0', eventCount: 5 },
      partitions: 101,
      rotationHours: 5,
      retentionHours: 'forever',
      keyRetentionDays: 0,
      colour: 'red',
    })
    expect(reply.status).toBe(422)
    expect(reply.headers.get('content-type')).toBe('application/problem+json')
    expect(problemsOf(reply)).toEqual([
      'name must be 1 to 63 lower-case letters and digits, with single dashes between them',
      'tags must be a list of at most 50 strings',
      'limits.eventRate must be a string of 1 to 15 digits, and not 0',
      'limits.eventCount must be a string of 1 to 15 digits, and not 0',
      'partitions must be a whole number from 1 to 100',
      'retentionHours must be a whole number of hours from 1 to 87600, or "broker"',
      'rotationHours must be one of 1, 2, 3, 4, 6, 8, 12, 24',
      'keyRetentionDays must be a whole number of days from 1 to 3650',
      'colour is not known here; leave it out',
    ])
  })

  test('is refused with 400 when the body is not JSON, and with 401 without an API key', async () => {
    for (const body of ['', '{', 'name=x', Buffer.from([0x7b, 0xff, 0x7d])]) {
      const url = `${auth.url}/v2/streams`
      const reply = await send(url, { method: 'POST', bearer: account.apiKey, body })
      expect(reply.status).toBe(400)
      expect(reply.json).toEqual(problem(400, 'not_json'))
    }
    const anonymous = await send(`${auth.url}/v2/streams`, { method: 'POST', json: { name: 'x' } })
    expect(anonymous.json).toEqual(problem(401, 'invalid_api_key'))
  })
})

describe('looking at input streams', () => {
  test('shows one in the shape of the version, and no secret', async () => {
    const name = uniqueName('s')
    const made = await account.post('/v2/streams', { name, tags: ['t'] })
    const credential = { clientId: uuid, scope: ['send', 'listen'], createdAt: time }
    const [flat, nested] = [
      await account.get(`/v1/streams/${name}`),
      await account.get(`/v2/streams/${name}`),
    ]
    expect(made.status).toBe(201)
    expect(flat.json).toEqual({ name, tags: ['t'], credentials: credential })
    expect(nested.json).toEqual({
      ref: { billingId: account.billingId, name },
      enabled: true,
      limits,
      tags: ['t'],
      credentials: [credential],
      streamId: uuid,
      topic: `${account.billingId}.${name}`,
      partitions: 3,
      retentionHours: 'broker',
      rotationHours: 24,
      keyRetentionDays: 365,
      createdAt: time,
    })
    for (const { text } of [flat, nested]) expect(text).not.toMatch(/secret/i)
  })

  test("lists the account's own input streams by name, without its outputs", async () => {
    const [mine, other] = [await makeAccount(auth), await makeAccount(auth)]
    await other.post('/v2/streams', { name: 'foreign' })
    for (const name of ['b', 'a']) await mine.post('/v2/streams', { name })
    await mine.post('/v2/streams/a/outputs', {
      name: 'a-1',
      consentLevels: [1],
      consentLevelType: 'CUMULATIVE',
    })
    expect((await mine.get('/v1/streams')).list.map(({ name }) => name)).toEqual(['a', 'b'])
    expect((await mine.get('/v2/streams')).list.map(({ ref }) => ref)).toEqual([
      { billingId: mine.billingId, name: 'a' },
      { billingId: mine.billingId, name: 'b' },
    ])
  })

  test("is refused with 404 for what is not there, an output's name, and a stream of someone else", async () => {
    const other = await makeAccount(auth)
    await other.post('/v2/streams', { name: 'foreign' })
    for (const name of ['nothing', 'foreign', '..', '%2e%2e', 'a%2Fb']) {
      const reply = await account.get(`/v2/streams/${name}/x`)
      expect(reply.status).toBe(404)
    }
    const reply = await account.get('/v2/streams/foreign')
    expect(reply.status).toBe(404)
    expect(reply.json).toEqual(problem(404, 'not_found'))
  })
})

describe('changing an input stream', () => {
  test('answers 200 with the changed record, and leaves the rest as it was', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name, tags: ['old'], keyRetentionDays: 10 })
    const reply = await account.patch(`/v2/streams/${name}`, {
      enabled: false,
      limits: { eventRate: '5' },
    })
    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({
      enabled: false,
      limits: { eventRate: '5', eventCount: '1000000000' },
      keyRetentionDays: 10,
    })
    await account.patch(`/v2/streams/${name}`, { tags: ['new'], keyRetentionDays: 20 })
    expect((await account.get(`/v1/streams/${name}`)).json).toMatchObject({ tags: ['new'] })
    expect((await account.get(`/v2/streams/${name}`)).json).toMatchObject({
      enabled: false,
      keyRetentionDays: 20,
    })
  })

  test('its topic keeps records as long as its record says, and as the broker does when it says so', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name, retentionHours: 2 })
    const topic = `${account.billingId}.${name}`
    const own = async () => (await admin.configs.topics([topic])).get(topic)?.own
    const before = await own()
    expect(before).toMatchObject({ 'retention.ms': '7200000', 'segment.ms': '3600000' })
    const asked = await account.patch(`/v2/streams/${name}`, { retentionHours: 240 })
    expect(asked.json).toMatchObject({ retentionHours: 240 })
    const changed = { 'retention.ms': '864000000', 'segment.ms': '36000000' }
    expect(await own()).toEqual({ ...before, ...changed })

    // Somebody else changes another setting.
    await admin.configs.setTopic(topic, { ...before, ...changed, 'flush.ms': '1000' })
    await account.patch(`/v2/streams/${name}`, { retentionHours: 'broker' })
    expect((await account.get(`/v2/streams/${name}`)).json).toMatchObject({
      retentionHours: 'broker',
    })
    const { 'retention.ms': _, 'segment.ms': __, ...others } = before ?? {}
    expect(await own()).toEqual({ ...others, 'flush.ms': '1000' })
  })

  test('of two that change its retention at once, its topic is set as its record says', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name })
    const topic = `${account.billingId}.${name}`
    for (let round = 0; round < 5; round++) {
      const hours = [2 * round + 1, 2 * round + 2]
      const patch = (retentionHours: number) =>
        account.patch(`/v2/streams/${name}`, { retentionHours })
      expect((await Promise.all(hours.map(patch))).map(({ status }) => status)).toEqual([200, 200])
      const { json } = await account.get(`/v2/streams/${name}`)
      const { 'retention.ms': set } = await admin.configs.topic(topic)
      expect(Number(set)).toBe(Number(json['retentionHours']) * 3_600_000)
    }
  })

  test('is refused with 422 for what cannot be changed, and with 404 for what is not there', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name })
    const reply = await account.patch(`/v2/streams/${name}`, { rotationHours: 1, enabled: 'no' })
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([
      'enabled must be true or false',
      'rotationHours is not known here; leave it out',
    ])
    expect((await account.patch('/v2/streams/nothing', { enabled: true })).status).toBe(404)
  })
})
