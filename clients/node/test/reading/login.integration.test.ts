// What the credentials of a stream permit to read, and the errors for what they do not permit.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { connectProducer, exampleEvent } from '@weir/testkit'
import type { TestStream } from '@weir/testkit'
import { createTokenSource, openTopic } from '../../src/index.ts'
import { startAnalystsWorld } from './analysts.ts'
import type { AnalystsWorld } from './analysts.ts'
import { readWhole } from './support.ts'

let world: AnalystsWorld
let input: TestStream
let mine: TestStream
let others: TestStream

beforeAll(async () => {
  world = await startAnalystsWorld()
  const { account } = world
  await account.contract('clickstream')
  input = await account.input('in', { partitions: 2 })
  mine = await account.output('in', 'mine', { consentLevels: [0], from: 'earliest' })
  others = await account.output('in', 'others', { consentLevels: [0], from: 'earliest' })
  await world.untilReadable(world.optionsOf(mine, mine.topic))
}, 300_000)

afterAll(() => world?.stop())

test('the credentials of an output read its topic', async () => {
  const token = await world.account.token(input)
  const producer = await connectProducer(world.ingest.url)
  const event = await exampleEvent('clickstream')
  for (let count = 0; count < 5; count += 1)
    expect((await producer.send(event, { token, schemaId: 'clickstream' })).status).toBe(204)
  producer.close()
  const isDerived = async () => (await readWhole(world.optionsOf(mine, mine.topic))).length === 5
  await pollUntil(isDerived, { deadlineMs: 60_000, what: 'the derived records' })
})

test('other topics are not readable with them, whether they exist or not', async () => {
  for (const topic of [others.topic, input.topic, 'nowhere', 'weir.control'])
    await expect(openTopic(world.optionsOf(mine, topic))).rejects.toMatchObject({
      name: 'ReadError',
      code: 'not_readable',
    })
})

test('a token that is no token is refused', async () => {
  const options = {
    ...world.optionsOf(mine, mine.topic),
    token: async () => 'eyJhbGciOiJSUzI1NiJ9.e30.e30',
  }
  await expect(openTopic(options)).rejects.toMatchObject({ name: 'ReadError', code: 'refused' })
})

test('what is no id token is told from one that Kafka refuses', async () => {
  const { authUrl, billingId, clientId, clientSecret } = {
    ...mine,
    ...world.account,
    authUrl: world.auth.url,
  }
  const body = JSON.stringify({ billingId, clientId, clientSecret })
  const { refreshToken } = JSON.parse(
    await (await fetch(`${authUrl}/auth`, { method: 'POST', body })).text(),
  )
  for (const [token, looks] of [
    [refreshToken, 'this looks like a refresh token'],
    [world.account.apiKey, 'this looks like an API key'],
    [clientSecret, 'this is not a JWT'],
    [undefined, 'this is not a JWT'],
  ])
    await expect(
      openTopic({ ...world.optionsOf(mine, mine.topic), token: async () => token }),
    ).rejects.toMatchObject({
      code: 'refused',
      message: `openTopic: token must return an id token, such as createTokenSource does; ${looks}`,
    })
})

test('a group of another name is refused, without waiting for the end of all retries', async () => {
  const options = world.optionsOf(mine, mine.topic)
  await expect(readWhole({ ...options, groupId: others.clientId })).rejects.toMatchObject({
    name: 'ReadError',
    code: 'refused',
    message: expect.stringContaining(
      `groups of this name; groupId must begin with ${options.groupId}`,
    ),
  })
})

test("the error of token is the reading's", async () => {
  const wrong = { ...mine, clientSecret: 'the-wrong-secret' }
  await expect(openTopic(world.optionsOf(wrong, mine.topic))).rejects.toMatchObject({
    name: 'ReadError',
    code: 'refused',
    cause: { name: 'RejectedError', status: 401 },
  })
  const { clientId, clientSecret } = mine
  const nobody = createTokenSource({
    authUrl: 'http://127.0.0.1:9',
    billingId: world.account.billingId,
    clientId,
    clientSecret,
  })
  await expect(
    openTopic({ ...world.optionsOf(mine, mine.topic), token: nobody }),
  ).rejects.toMatchObject({
    name: 'ReadError',
    code: 'unreachable',
    cause: { code: 'ECONNREFUSED' },
  })
  const none = new Error('no token today')
  const token = () => Promise.reject(none)
  await expect(openTopic({ ...world.optionsOf(mine, mine.topic), token })).rejects.toBe(none)
})
