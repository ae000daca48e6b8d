import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createAdmin, createKafka } from '@weir/kafka'
import type { Admin } from '@weir/kafka'
import { createLog, pollUntil } from '@weir/kit'
import { joinAuth, kafkaBrokers, makeAccount, problem, problemsOf, uniqueName } from '../support.ts'
import type { Account, SharedAuth } from '../support.ts'

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

describe('deleting an input stream', () => {
  test('answers 200 with its record, without credentials, and it is gone at once', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name })
    const reply = await account.delete(`/v2/streams/${name}`)
    expect(reply.status).toBe(200)
    expect(reply.json).toEqual({
      deleted: [{ ref: { billingId: account.billingId, name }, enabled: true, limits }],
    })
    expect((await account.get(`/v2/streams/${name}`)).status).toBe(404)
    expect((await account.delete(`/v2/streams/${name}`)).status).toBe(404)
  })

  test('with outputs is refused with 409 that names them, unless it is recursive', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name })
    const outputs = [`${name}-0`, `${name}-1`]
    for (const [level, output] of outputs.entries())
      await account.post(`/v2/streams/${name}/outputs`, {
        name: output,
        consentLevels: [level],
        consentLevelType: 'CUMULATIVE',
      })
    const refused = await account.delete(`/v2/streams/${name}`)
    expect(refused.status).toBe(409)
    expect(refused.json).toEqual(problem(409, 'has_outputs'))
    for (const output of outputs) expect(refused.text).toContain(output)
    const deleted = await account.delete(`/v1/streams/${name}?recursive=true`)
    expect(deleted.status).toBe(200)
    expect(deleted.json).toEqual({
      deleted: [
        ...outputs.map((output, level) => ({
          name: output,
          linkedStream: name,
          tags: [],
          consentLevels: [level],
          consentLevelType: 'CUMULATIVE',
          decrypterName: 'default',
        })),
        { name, tags: [] },
      ],
    })
    for (const path of [name, `${name}/outputs/${outputs[0]}`])
      expect((await account.get(`/v2/streams/${path}`)).status).toBe(404)
  })

  test('keeps the name with 409 and Retry-After until the topic is gone, then it is a new stream', async () => {
    const name = uniqueName('s')
    await account.post('/v2/streams', { name })
    const before = (await account.get(`/v2/streams/${name}`)).json
    await account.delete(`/v2/streams/${name}`)
    const early = await account.post('/v2/streams', { name })
    expect(early.status).toBe(409)
    expect(early.json).toEqual(problem(409, 'being_deleted'))
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0)
    const again = async () => (await account.post('/v2/streams', { name })).status === 201
    await pollUntil(again, { deadlineMs: 60_000, everyMs: 500 })
    const after = (await account.get(`/v2/streams/${name}`)).json
    expect(after['streamId']).not.toBe(before['streamId'])
    expect(await admin.topics.exists(`${account.billingId}.${name}`)).toBe(true)
  })

  test('is refused with 422 for a recursive that is neither true nor false', async () => {
    const reply = await account.delete('/v2/streams/any?recursive=yes')
    expect(problemsOf(reply)).toEqual(['recursive must be true or false'])
  })
})
