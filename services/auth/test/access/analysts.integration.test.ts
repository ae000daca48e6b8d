// Kafka's listener for analysts: a stream's credentials give only the rights to that stream. All services run as in
// `npm start`.
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import {
  connectProducer,
  exampleEvent,
  freshName,
  inSoak,
  openAnalysts,
  textIn,
} from '@weir/testkit'
import type { Account, Analysts, Producer, Task, TestStream } from '@weir/testkit'
import { signIdToken, signReceipt } from '@weir/tokens'
import { createSigner } from '../../src/control/keys/signing-keys.ts'
import type { Signer } from '../../src/control/keys/signing-keys.ts'
import { startAnalystsScene } from './analysts-scene.ts'
import type { AnalystsScene, Secrets } from './analysts-scene.ts'

const billingId = freshName('analysts')

let scene: AnalystsScene
let account: Account
let producer: Producer
let inputToken: string
let analysts: Analysts
let input: TestStream
let mine: TestStream
let others: TestStream

beforeAll(async () => {
  scene = await startAnalystsScene(billingId)
  account = scene.account
  await account.contract('clickstream')
  input = await account.input('in', { partitions: 1 })
  mine = await makeOutput('mine')
  others = await makeOutput('others')
  inputToken = await account.token(input)
  producer = await connectProducer(scene.everything.ingest.url)
  await send('first')
  analysts = openAnalysts()
  // The broker started before auth had keys. It refreshes its key set every second.
  const first = analysts.start({ do: 'topics', settings: scene.settingsOf(mine) })
  await first.until(({ topics }) => topics.length > 0)
}, 300_000)

afterEach(() => analysts.stop())
afterAll(async () => {
  analysts?.close()
  producer?.close()
  await scene?.close()
})

const makeOutput = (name: string): Promise<TestStream> =>
  account.output('in', name, { consentLevels: [0], from: 'earliest' })

/** Sends an event with a text that identifies the derived record. */
async function send(mark: string): Promise<void> {
  const event = { ...(await exampleEvent('clickstream')), referrer: `https://mark/${mark}` }
  const answer = await producer.send(event, { token: inputToken, schemaId: 'clickstream' })
  expect(answer.status).toBe(204)
}

const has = (mark: string) => (record: string) =>
  Buffer.from(record, 'hex').includes(`https://mark/${mark}`)

const withToken = (token: string): Task['settings'] => ({
  ...scene.onTheListener(mine.clientId),
  'sasl.mechanism': 'OAUTHBEARER',
  token,
})

const follow = (stream: Secrets & { topic: string }, group?: string) =>
  analysts.start({ do: 'follow', settings: scene.settingsOf(stream, group), topic: stream.topic })

describe("a stream's own credentials", () => {
  test('read its topic, in groups that begin with the clientId, and see no other topic', async () => {
    const reader = follow(mine)
    const second = follow(mine, `${mine.clientId}-second`)
    for (const each of [reader, second])
      await each.until(({ records }) => records.some(has('first')))
    const looker = analysts.start({ do: 'topics', settings: scene.settingsOf(mine) })
    await looker.until(({ topics }) => topics.length > 0)
    expect(looker.topics).toEqual([mine.topic])
    expect([...reader.errors, ...second.errors]).toEqual([])
  })

  test("may not read another stream's topic, dead records, or anything of Weir's own", async () => {
    const topics = [others.topic, input.topic, `${mine.topic}.dead`, 'weir.control', 'weir.keys']
    for (const topic of [...topics, '__consumer_offsets']) {
      const reader = analysts.start({ do: 'read', settings: scene.settingsOf(mine), topic })
      await reader.until(({ errors }) => errors.length > 0)
      expect([topic, new Set(reader.errors)]).toEqual([
        topic,
        new Set(['TOPIC_AUTHORIZATION_FAILED']),
      ])
      expect(reader.records).toEqual([])
    }
  })

  test('may write nothing, not even to their own topic', async () => {
    for (const topic of [mine.topic, others.topic, 'weir.control', 'new-topic']) {
      const writer = analysts.start({ do: 'write', settings: scene.settingsOf(mine), topic })
      await writer.until(({ errors }) => errors.length > 0)
      expect([topic, writer.errors[0]]).toEqual([topic, 'TOPIC_AUTHORIZATION_FAILED'])
    }
  })

  test("may not be in another's group, or in the one that derives the stream", async () => {
    for (const group of [others.clientId, 'any', `weir.${mine.topic}`]) {
      const reader = follow(mine, group)
      await reader.until(({ errors }) => errors.includes('GROUP_AUTHORIZATION_FAILED'))
      expect(reader.records).toEqual([])
    }
  })

  test('give read_stream.py one sentence if a group, or the registry, is refused', async () => {
    const sentence = `must begin with ${mine.clientId}, after the prefix of the topics if there is one`
    expect(await scene.complaintOfScript(mine, { 'group.id': 'any' })).toMatch(
      new RegExp(`^These credentials may not use the group any: group.id in \\S+ ${sentence}\n$`),
    )
    const wrong = { '# basic.auth.user.info': `${mine.clientId}:wrong` }
    expect(await scene.complaintOfScript(mine, wrong)).toMatch(
      /^The schema registry \S+\/registry refuses: .*\(HTTP status code 401, .*\n$/,
    )
  })

  test('of an input stream may not read it, unless they were made to listen and for nothing else', async () => {
    const producers = follow(input)
    await producers.until(({ errors }) => errors.length > 0)
    const path = '/v2/streams/in/credentials'
    const { body } = await account.call('POST', path, { scope: ['listen'] })
    const listener = {
      clientId: textIn(body, 'clientId'),
      clientSecret: textIn(body, 'clientSecret'),
    }
    const reader = follow({ ...listener, topic: input.topic })
    await reader.until(({ records }) => records.some(has('first')))
    expect(Buffer.from(reader.records[0] ?? '', 'hex').includes('customer-00042')).toBe(false)
  })
})

describe('whoever comes without a token that auth has signed for this', () => {
  let signer: Signer
  const claims = () => {
    const stream = scene.following.follower.tables.stream(billingId, 'mine')
    return {
      sub: mine.clientId,
      billingId,
      stream: 'mine',
      streamId: stream?.streamId ?? '',
      kind: 'derived' as const,
    }
  }
  const signed = (key: Signer, issuer: string, lifeSeconds: number, ago = 0): string => {
    const nowSeconds = Math.floor(Date.now() / 1000) - ago
    return signIdToken(key, claims(), { issuer, nowSeconds, lifeSeconds })
  }
  const isRefused = async (settings: Task['settings']): Promise<void> => {
    const reader = analysts.start({ do: 'read', settings, topic: mine.topic })
    await reader.until(({ errors }) => errors.length > 0)
    expect(reader.records).toEqual([])
    expect(reader.errors[0]).toMatch(/^_(AUTHENTICATION|TRANSPORT|ALL_BROKERS_DOWN)$/)
  }

  beforeAll(() => {
    signer = createSigner({ follower: scene.following.follower, now: Date.now })()
  })

  test('gets in with one that fits', async () => {
    const token = signed(signer, scene.everything.auth.url, 600)
    const reader = analysts.start({ do: 'read', settings: withToken(token), topic: mine.topic })
    await reader.until(({ records }) => records.some(has('first')))
  })

  test('is refused with one that is expired, or names another issuer', async () => {
    await isRefused(withToken(signed(signer, scene.everything.auth.url, 600, 700)))
    await isRefused(withToken(signed(signer, 'http://elsewhere.test', 600)))
  })

  test('is refused with a refresh token, which is for auth alone', async () => {
    const { clientId, clientSecret } = mine
    const reply = await account.call('POST', '/auth', { billingId, clientId, clientSecret })
    await isRefused(withToken(textIn(reply.body, 'refreshToken')))
  })

  test('is refused with one of a foreign key, under a new name or under ours', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    for (const kid of ['foreign', signer.kid])
      await isRefused(withToken(signed({ kid, privateKey }, scene.everything.auth.url, 600)))
  })

  test('is refused with a receipt of an erasure, though its key is among those that are published', async () => {
    const [key] = scene.following.follower.tables.receiptKeys()
    const pem = scene.following.follower.keyring.open(`_receipt/${key?.kid}`, 'sign')
    if (key === undefined || pem === undefined) throw new Error('auth has no key for receipts')
    const receiptSigner = { kid: key.kid, privateKey: createPrivateKey(pem) }
    const iat = Math.floor(Date.now() / 1_000)
    const claims = {
      iss: scene.everything.auth.url,
      iat,
      jti: mine.clientId,
      billingId,
      levels: 'all',
    }
    await isRefused(withToken(signReceipt(receiptSigner, claims)))
  })

  test('is refused as nobody: in the clear, by password, or as ANONYMOUS with an unsigned token', async () => {
    const group = scene.onTheListener('any')
    await isRefused({ ...group, 'security.protocol': 'PLAINTEXT' })
    const password = { 'sasl.username': mine.clientId, 'sasl.password': mine.clientSecret }
    await isRefused({ ...group, 'sasl.mechanism': 'PLAIN', ...password })
    await isRefused({
      ...group,
      'sasl.mechanism': 'OAUTHBEARER',
      'enable.sasl.oauthbearer.unsecure.jwt': 'true',
      'sasl.oauthbearer.config': 'principal=ANONYMOUS scope=send',
    })
  })

  test('is cut off when the token ends under an open connection', async () => {
    const lifeSeconds = 6
    const token = signed(signer, scene.everything.auth.url, lifeSeconds)
    const endMs = Date.now() + lifeSeconds * 1_000
    const reader = analysts.start({ do: 'read', settings: withToken(token), topic: mine.topic })
    await reader.until(({ records }) => records.some(has('first')))
    await reader.until(({ errors }) => errors.includes('_AUTHENTICATION'), 30_000)
    // The error may come before `endMs`: a broker that has not read auth's keys may refuse one connection.
    await reader.until(() => Date.now() > endMs)
    // An earlier fetch may still get one response.
    await send('at-its-end')
    const other = follow(mine, `${mine.clientId}-after`)
    await other.until(({ records }) => records.some(has('at-its-end')))
    await send('after-its-end')
    await other.until(({ records }) => records.some(has('after-its-end')))
    expect(reader.records.some(has('after-its-end'))).toBe(false)
  })
})

describe('an open connection', () => {
  const secondsMs = 10_000

  /** Sends an event, and waits until another analyst receives it. This proves that it could be read. */
  async function sendAndSee(mark: string): Promise<void> {
    await send(mark)
    const witness = follow(others, `${others.clientId}-${mark}`)
    await witness.until(({ records }) => records.some(has(mark)))
  }

  test('gives nothing more within seconds after its credentials were revoked; others go on', async () => {
    const path = '/v2/streams/in/outputs/mine/credentials'
    const { body } = await account.call('POST', path)
    const doomed = {
      clientId: textIn(body, 'clientId'),
      clientSecret: textIn(body, 'clientSecret'),
    }
    const reader = follow({ ...doomed, topic: mine.topic })
    const staying = follow(mine, `${mine.clientId}-staying`)
    for (const each of [reader, staying])
      await each.until(({ records }) => records.some(has('first')))

    const answer = await account.call('DELETE', `${path}/${doomed.clientId}`)
    expect(answer.status).toBe(200)
    await reader.until(({ errors }) => errors.length > 0, secondsMs)
    await sendAndSee('after-revocation')
    await staying.until(({ records }) => records.some(has('after-revocation')))
    expect(reader.records.some(has('after-revocation'))).toBe(false)
  })

  inSoak(() => {
    test('gives nothing while its stream is disabled, and goes on by itself when it is enabled', async () => {
      const reader = follow(mine, `${mine.clientId}-switched`)
      await reader.until(({ records }) => records.some(has('first')))
      await account.call('PATCH', '/v2/streams/in/outputs/mine', { enabled: false })
      await reader.until(({ errors }) => errors.length > 0, secondsMs)
      await sendAndSee('while-disabled')
      expect(reader.records.some(has('while-disabled'))).toBe(false)
      await account.call('PATCH', '/v2/streams/in/outputs/mine', { enabled: true })
      await reader.until(({ records }) => records.some(has('while-disabled')), 30_000)
    })

    test('ends with its stream, also when one of the same name follows', async () => {
      const reader = follow(mine, `${mine.clientId}-last`)
      await reader.until(({ records }) => records.some(has('first')))
      await account.call('DELETE', '/v2/streams/in/outputs/mine')
      await reader.until(({ errors }) => errors.length > 0, secondsMs)
      // 409 while the output is being deleted
      const remake = () => makeOutput('mine').catch(() => undefined)
      const next = await pollUntil(remake, { deadlineMs: 60_000, everyMs: 500 })
      const { records } = follow(next)
      await pollUntil(() => records.some(has('first')), { deadlineMs: 60_000 })
      const old = follow(mine, `${mine.clientId}-old`)
      await old.until(({ errors }) => errors.length > 0)
      await sendAndSee('after-remaking')
      expect([...reader.records, ...old.records].some(has('after-remaking'))).toBe(false)
    })
  })
})
