// Watching with an account's API key, as the console does. The path names the stream, and only streams of that account
// are shown.
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { hashSecret } from '@weir/control-state'
import type { ApiKeyRecord } from '@weir/control-state'
import { openGateway, watched } from '../support/gateway.ts'
import { derivedStream } from '../support/streams.ts'

let scene: Awaited<ReturnType<typeof openGateway>>
const stream = watched()
const derived = derivedStream(stream)
const apiKey = 'weir_of-the-account'
const ofInput = `/v2/streams/${stream.name}/watch`
const ofOutput = `/v2/streams/${stream.name}/outputs/${derived.name}/watch`

const keyOf = (key: string, more: Partial<ApiKeyRecord> = {}): ApiKeyRecord => ({
  keyId: hashSecret(key).slice(0, 12),
  hash: hashSecret(key),
  name: 'a key',
  role: 'owner',
  createdAtMs: 1,
  ...more,
})

beforeEach(async () => {
  scene = await openGateway()
  scene.putStream(stream)
  scene.putStream(derived)
  scene.putAccount(stream.billingId, keyOf(apiKey), keyOf('weir_viewer', { role: 'viewer' }))
  scene.putAccount('others', keyOf('weir_of-others'))
})
afterEach(() => scene.close())

async function answerOf(key: string, path: string) {
  const { status, header } = await scene.connect(key, { path })
  return { status, code: header('svc-error') }
}

test('an input stream and its outputs are watched by their paths, the key in a header or a subprotocol', async () => {
  const clients = [
    await scene.connect(apiKey, { path: ofInput }),
    await scene.connect(undefined, { path: ofOutput, protocols: ['weir', `bearer.${apiKey}`] }),
  ]
  expect(clients.map(({ status }) => status)).toEqual([101, 101])
  expect(scene.feeds.made.map((feed) => feed.stream.streamId)).toEqual([
    stream.streamId,
    derived.streamId,
  ])
})

test('a wrong key is 401, and a token is none', async () => {
  const refused = { status: 401, code: 'invalid_api_key' }
  expect(await answerOf('weir_wrong', ofInput)).toEqual(refused)
  expect(await answerOf(scene.tokenOf(stream), ofInput)).toEqual(refused)
})

test('wrong keys are guesses: after ten in a minute 429, and the right one is taken', async () => {
  for (let nth = 0; nth < 10; nth += 1)
    expect((await answerOf(`weir_wrong-${nth}`, ofInput)).status).toBe(401)
  const refused = { status: 429, code: 'too_many_failures' }
  expect(await answerOf('weir_wrong-10', ofInput)).toEqual(refused)
  expect((await scene.connect(apiKey, { path: ofInput })).status).toBe(101)
})

test('an API key is no token: at /ws it is 401', async () => {
  expect(await answerOf(apiKey, '/ws')).toEqual({ status: 401, code: 'invalid_token' })
})

test('what is not there or not the account’s is 404 alike', async () => {
  const refused = { status: 404, code: 'not_found' }
  expect(await answerOf('weir_of-others', ofInput)).toEqual(refused)
  expect(await answerOf('weir_of-others', ofOutput)).toEqual(refused)
  expect(await answerOf(apiKey, '/v2/streams/nothing/watch')).toEqual(refused)
  expect(await answerOf(apiKey, `/v2/streams/${derived.name}/watch`)).toEqual(refused)
  expect(await answerOf(apiKey, `${ofInput}/more`)).toEqual(refused)
})

test('a disabled stream is 403, and one that goes ends its watchers', async () => {
  const client = await scene.connect(apiKey, { path: ofInput })
  scene.removeStream(stream)
  expect((await client.closed).code).toBe(4410)
  scene.putStream({ ...stream, enabled: false })
  expect(await answerOf(apiKey, ofInput)).toEqual({ status: 403, code: 'stream_disabled' })
})

test('a key without the role is 403, and the sentence names the role: developer for an input, owner for an output', async () => {
  scene.putAccount(
    stream.billingId,
    keyOf('weir_dev', { role: 'developer' }),
    keyOf('weir_viewer', { role: 'viewer' }),
  )
  expect((await scene.connect('weir_dev', { path: ofInput })).status).toBe(101)
  for (const [key, path, role] of [
    ['weir_viewer', ofInput, 'developer'],
    ['weir_viewer', ofOutput, 'owner'],
    ['weir_dev', ofOutput, 'owner'],
  ] as const) {
    const refused = await scene.connect(key, { path })
    expect([refused.status, refused.header('svc-error')]).toEqual([403, 'role_missing'])
    expect(refused.body).toContain(`needs the role ${role}`)
  }
})

test('a key that is deleted ends its watchers at once, one that expires within a second', async () => {
  const [kept, deleted] = ['weir_kept', 'weir_deleted']
  const short = scene.nowMs() + 5_000
  scene.putAccount(
    stream.billingId,
    keyOf(kept),
    keyOf(deleted),
    keyOf('weir_short', { expiresAtMs: short }),
  )
  const clients = {
    kept: await scene.connect(kept, { path: ofOutput }),
    deleted: await scene.connect(deleted, { path: ofOutput }),
    short: await scene.connect('weir_short', { path: ofOutput }),
  }
  scene.putAccount(stream.billingId, keyOf(kept), keyOf('weir_short', { expiresAtMs: short }))
  expect((await clients.deleted.closed).code).toBe(4401)
  scene.pass(6_000)
  expect((await clients.short.closed).code).toBe(4401)
  expect(clients.kept.socket.readyState).toBe(clients.kept.socket.OPEN)
  expect(await answerOf('weir_short', ofOutput)).toEqual({ status: 401, code: 'invalid_api_key' })
})

test('a session of watching is told to the audit log before it opens; untold it is 503', async () => {
  await scene.connect(apiKey, { path: ofOutput })
  expect(scene.readings).toMatchObject([
    {
      action: 'read.watch',
      actor: { kind: 'account', billingId: stream.billingId, keyId: keyOf(apiKey).keyId },
      target: { account: stream.billingId, stream: stream.name, output: derived.name },
    },
  ])
  scene.failTraces()
  expect(await answerOf(apiKey, ofOutput)).toEqual({ status: 503, code: 'unavailable' })
})

test('a refusal is told to the audit log once it is known who asks', async () => {
  await answerOf('weir_wrong', ofInput)
  await answerOf(apiKey, `/v2/streams/--${'x'.repeat(70)}/watch`)
  expect(scene.refusals).toEqual([])
  await answerOf('weir_viewer', ofOutput)
  await answerOf(apiKey, '/v2/streams/nothing/watch')
  expect(scene.refusals).toMatchObject([
    {
      action: 'read.watch',
      actor: { kind: 'account', keyId: keyOf('weir_viewer').keyId },
      target: { account: stream.billingId, stream: stream.name, output: derived.name },
      refused: 'role_missing',
    },
    { target: { stream: 'nothing' }, refused: 'not_found' },
  ])
  scene.setFresh(false)
  expect(await answerOf(apiKey, ofInput)).toMatchObject({ status: 503 })
  expect(scene.refusals).toHaveLength(2)
})
