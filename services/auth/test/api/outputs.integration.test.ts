import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createAdmin, createKafka } from '@weir/kafka'
import { createLog } from '@weir/kit'
import { kafkaBrokers, makeAccount, problem, problemsOf, joinAuth, uniqueName } from '../support.ts'
import type { Account, SharedAuth } from '../support.ts'

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
const secret = expect.stringMatching(/^[\w-]{43}$/)
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

let auth: SharedAuth
let account: Account
let input: string

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
  input = uniqueName('in')
  await account.post('/v2/streams', { name: input })
})
afterAll(() => auth.stop())

/** The body of a request for an output. No replica has the decrypterName `nobody`, so none derives the output. */
const body = (more: object = {}) => ({
  name: uniqueName('out'),
  decrypterName: 'nobody',
  consentLevels: [2],
  consentLevelType: 'CUMULATIVE',
  ...more,
})

describe('deriving an output stream', () => {
  test('/v1 answers 201 with the first shape, and nothing else', async () => {
    const { decrypterName: _, ...asked } = body()
    const reply = await account.post(`/v1/streams/${input}/outputs`, asked)
    expect(reply.status).toBe(201)
    expect(reply.json).toEqual({
      name: asked.name,
      linkedStream: input,
      tags: [],
      consentLevels: [2],
      consentLevelType: 'CUMULATIVE',
      decrypterName: 'default',
      credentials: { clientId: uuid, clientSecret: secret },
    })
  })

  test('/v2 answers 201 with the second shape, and nothing else', async () => {
    const asked = body({ consentLevels: [3, 0], consentLevelType: 'GRANULAR' })
    const reply = await account.post(`/v2/streams/${input}/outputs`, asked)
    expect(reply.status).toBe(201)
    expect(reply.json).toEqual({
      ref: { billingId: account.billingId, name: asked.name },
      linkedStream: input,
      consentLevels: [3, 0],
      consentLevelType: 'GRANULAR',
      enabled: true,
      credentials: [{ clientId: uuid, clientSecret: secret }],
    })
  })

  test('/v2 warns of levels that no personal field and no purpose has, if the account has any', async () => {
    const other = await makeAccount(auth)
    const name = uniqueName('in')
    await other.post('/v2/streams', { name })
    const warningsAt = async (...consentLevels: number[]): Promise<unknown> => {
      const asked = body({ consentLevels, consentLevelType: 'GRANULAR' })
      const { json } = await other.post(`/v2/streams/${name}/outputs`, asked)
      return json.warnings
    }
    expect(await warningsAt(7)).toBeUndefined()
    const purposes = [{ name: 'ads', title: 'Ads', level: 2 }]
    expect((await other.put('/v2/account/purposes', purposes)).status).toBe(200)
    expect(await warningsAt(2)).toBeUndefined()
    expect(await warningsAt(2, 7, 9)).toEqual([
      'No contract has a personal field of level 7, and no purpose names this level. The output only gets events whose consent contains it',
      expect.stringContaining('a personal field of level 9'),
    ])
  })

  test("makes its topic and its dead-letter topic with the input's partitions", async () => {
    const name = uniqueName('in')
    await account.post('/v2/streams', { name, partitions: 2 })
    const asked = body()
    await account.post(`/v2/streams/${name}/outputs`, asked)
    const log = createLog('auth-test', 'silent')
    const kafka = createKafka({ brokers: kafkaBrokers.split(','), clientId: 'auth-test', log })
    const admin = createAdmin(kafka)
    const topic = `${account.billingId}.${asked.name}`
    expect(await admin.topics.partitionCount(topic)).toBe(2)
    expect(await admin.topics.partitionCount(`${topic}.dead`)).toBe(2)
    await admin.close()
  })

  test('both of its topics keep records for a week, or as long as it is told', async () => {
    const log = createLog('auth-test', 'silent')
    const kafka = createKafka({ brokers: kafkaBrokers.split(','), clientId: 'auth-test', log })
    const admin = createAdmin(kafka)
    const asked = body()
    const topic = `${account.billingId}.${asked.name}`
    const kept = async () => {
      const found = await admin.configs.topics([topic, `${topic}.dead`])
      return [...found.values()].map(({ own }) => [own['retention.ms'], own['segment.ms']])
    }
    await account.post(`/v2/streams/${input}/outputs`, asked)
    expect(await kept()).toEqual(Array(2).fill(['604800000', '25200000']))
    const path = `/v2/streams/${input}/outputs/${asked.name}`
    const changed = await account.patch(path, { retentionHours: 1 })
    expect(changed.json).toMatchObject({ retentionHours: 1, enabled: true })
    expect(await kept()).toEqual(Array(2).fill(['3600000', '3600000']))
    await admin.close()
  })

  test('takes decrypterName, tags and from', async () => {
    const asked = body({ decrypterName: 'team-b', tags: ['eu'], from: 'earliest' })
    await account.post(`/v2/streams/${input}/outputs`, asked)
    const path = `streams/${input}/outputs/${asked.name}`
    expect((await account.get(`/v1/${path}`)).json).toMatchObject({
      decrypterName: 'team-b',
      tags: ['eu'],
    })
    expect((await account.get(`/v2/${path}`)).json).toMatchObject({ from: 'earliest' })
  })

  test('its readers decrypt it, if it is made so, and keep keys as long as it says', async () => {
    const asked = body({ decryptAt: 'reader' })
    await account.post(`/v2/streams/${input}/outputs`, asked)
    const path = `/v2/streams/${input}/outputs/${asked.name}`
    const shown = await account.get(path)
    expect(shown.json).toMatchObject({ decryptAt: 'reader', keyMaxAgeSeconds: 300 })
    const changed = await account.patch(path, { keyMaxAgeSeconds: 30 })
    expect(changed.json).toMatchObject({ decryptAt: 'reader', keyMaxAgeSeconds: 30, enabled: true })
    const usual = body()
    await account.post(`/v2/streams/${input}/outputs`, usual)
    const usualPath = `/v2/streams/${input}/outputs/${usual.name}`
    expect((await account.get(usualPath)).json).toMatchObject({ decryptAt: 'output' })
    const refused = await account.patch(usualPath, { keyMaxAgeSeconds: 30 })
    expect(problemsOf(refused)).toEqual([
      'keyMaxAgeSeconds is a setting of outputs with decryptAt reader',
    ])
  })

  test.each([
    [{ decryptAt: 'both' }, /^decryptAt must be output or reader/],
    [{ keyMaxAgeSeconds: 30 }, /^keyMaxAgeSeconds must be absent unless decryptAt is reader/],
    [
      { decryptAt: 'reader', keyMaxAgeSeconds: 29 },
      /^keyMaxAgeSeconds must be a whole number of seconds from 30 to 86400/,
    ],
    [{ consentLevels: [1, 2] }, /^consentLevels must have exactly one level/],
    [{ consentLevels: [] }, /^consentLevels must be a list of consent levels, at least one/],
    [{ consentLevels: [256] }, /^consentLevels.0 must be a whole number from 0 to 255/],
    [{ consentLevels: ['1'] }, /^consentLevels.0 must be/],
    [
      { consentLevels: [1, 1], consentLevelType: 'GRANULAR' },
      /^consentLevels must name each level once/,
    ],
    [{ consentLevelType: 'cumulative' }, /^consentLevelType must be CUMULATIVE or GRANULAR/],
    [{ from: 'latest' }, /^from must be earliest or now/],
    [{ retentionHours: 0 }, /^retentionHours must be a whole number of hours from 1 to 87600/],
    [{ retentionHours: 1.5 }, /^retentionHours must be a whole number of hours from 1 to 87600/],
    [{ name: 'x'.repeat(64) }, /^name must be/],
    [{ limits: { eventRate: '1' } }, /^limits is not known here/],
  ])('is refused with 422 for %p', async (wrong, sentence) => {
    const reply = await account.post(`/v2/streams/${input}/outputs`, body(wrong))
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([expect.stringMatching(sentence)])
  })

  test('is refused with 409 for a name that is taken, by an input or by an output', async () => {
    const asked = body()
    await account.post(`/v2/streams/${input}/outputs`, asked)
    for (const name of [asked.name, input]) {
      const reply = await account.post(`/v2/streams/${input}/outputs`, body({ name }))
      expect(reply.status).toBe(409)
      expect(reply.json).toEqual(problem(409, 'name_taken'))
    }
  })

  test('is refused with 404 under a stream that is not there, or is an output itself', async () => {
    const asked = body()
    await account.post(`/v2/streams/${input}/outputs`, asked)
    for (const name of ['nothing', asked.name])
      expect((await account.post(`/v2/streams/${name}/outputs`, body())).status).toBe(404)
  })
})

describe('looking at output streams', () => {
  test('shows and lists them in the shape of the version, and no secret', async () => {
    const name = uniqueName('in')
    await account.post('/v2/streams', { name })
    const asked = body()
    await account.post(`/v2/streams/${name}/outputs`, asked)
    const credential = { clientId: uuid, scope: ['listen'], createdAt: time }
    const flat = {
      name: asked.name,
      linkedStream: name,
      tags: [],
      consentLevels: [2],
      consentLevelType: 'CUMULATIVE',
      decrypterName: 'nobody',
      credentials: credential,
    }
    const nested = {
      ref: { billingId: account.billingId, name: asked.name },
      linkedStream: name,
      consentLevels: [2],
      consentLevelType: 'CUMULATIVE',
      enabled: true,
      credentials: [credential],
      streamId: uuid,
      topic: `${account.billingId}.${asked.name}`,
      partitions: 3,
      retentionHours: 168,
      from: 'now',
      decrypterName: 'nobody',
      tags: [],
      decryptAt: 'output',
      createdAt: time,
    }
    expect((await account.get(`/v1/streams/${name}/outputs/${asked.name}`)).json).toEqual(flat)
    expect((await account.get(`/v2/streams/${name}/outputs/${asked.name}`)).json).toEqual(nested)
    expect((await account.get(`/v1/streams/${name}/outputs`)).list).toEqual([flat])
    expect((await account.get(`/v2/streams/${name}/outputs`)).list).toEqual([nested])
  })

  test('is refused with 404 under another stream than its own', async () => {
    const [other, asked] = [uniqueName('in'), body()]
    await account.post('/v2/streams', { name: other })
    await account.post(`/v2/streams/${input}/outputs`, asked)
    const reply = await account.get(`/v2/streams/${other}/outputs/${asked.name}`)
    expect(reply.status).toBe(404)
    expect(reply.json).toEqual(problem(404, 'not_found'))
    expect((await account.get('/v2/streams/nothing/outputs')).status).toBe(404)
  })
})

describe('changing and deleting an output stream', () => {
  test('PATCH answers 200, disables it and changes its tags; other members are refused with 422', async () => {
    const asked = body()
    await account.post(`/v2/streams/${input}/outputs`, asked)
    const path = `/v2/streams/${input}/outputs/${asked.name}`
    const reply = await account.patch(path, { enabled: false, tags: ['for the press'] })
    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({ enabled: false, tags: ['for the press'] })
    expect((await account.patch(path, { consentLevels: [1] })).status).toBe(422)
    const elsewhere = `/v2/streams/${uniqueName('in')}/outputs/${asked.name}`
    expect((await account.patch(elsewhere, { enabled: true })).status).toBe(404)
  })

  test('DELETE answers 200 with the record, without credentials; its input stays', async () => {
    const asked = body()
    await account.post(`/v2/streams/${input}/outputs`, asked)
    const path = `/v2/streams/${input}/outputs/${asked.name}`
    const reply = await account.delete(path)
    expect(reply.status).toBe(200)
    expect(reply.json).toEqual({
      deleted: [
        {
          ref: { billingId: account.billingId, name: asked.name },
          linkedStream: input,
          consentLevels: [2],
          consentLevelType: 'CUMULATIVE',
          enabled: true,
        },
      ],
    })
    expect((await account.get(path)).status).toBe(404)
    expect((await account.delete(path)).status).toBe(404)
    expect((await account.get(`/v2/streams/${input}`)).status).toBe(200)
  })

  test('an output is not an input stream: its name alone leads nowhere', async () => {
    const asked = body()
    await account.post(`/v2/streams/${input}/outputs`, asked)
    expect((await account.get(`/v2/streams/${asked.name}`)).status).toBe(404)
    expect((await account.delete(`/v2/streams/${asked.name}`)).status).toBe(404)
  })
})
