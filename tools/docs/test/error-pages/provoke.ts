// Requests for each refusal that a client can cause. The responses in docs/errors come from these requests. The page of
// a code that is missing here says why.
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

import { asObject, createTopicReader, exampleEvent, request, setting } from '@weir/testkit'
import type { Account } from '@weir/testkit'
import { ask, askUpgrade, makeScene } from './scene.ts'
import type { Scene, Told } from './scene.ts'

type Provoke = (scene: Scene) => Promise<Told>

const json = (value: unknown) => ({ method: 'POST', body: JSON.stringify(value) })

/** Sends a management request, with the account's key by default. */
const manage = ({ world, account }: Scene, path: string, init: RequestInit = {}): Promise<Told> =>
  ask(world.auth.url + path, { headers: { authorization: `Bearer ${account.apiKey}` }, ...init })

type Sent = {
  readonly body?: string | Buffer<ArrayBuffer>
  readonly token?: string
  readonly headers?: Readonly<Record<string, string>>
}

const send = async ({ world, token }: Scene, sent: Sent = {}): Promise<Told> =>
  ask(`${world.ingest.url}/event`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sent.token ?? token}`,
      'svc-schema-id': 'clickstream',
      ...sent.headers,
    },
    body: sent.body ?? JSON.stringify(await exampleEvent('clickstream')),
  })

const eventWith = async (more: object): Promise<string> =>
  JSON.stringify({ ...(await exampleEvent('clickstream')), ...more })

const askKeys = ({ output }: Scene['world'], token: string): Promise<Told> =>
  ask(`${output.url}/v2/keys`, { ...json({}), headers: { authorization: `Bearer ${token}` } })

const nameDataSubjects = (account: Account): Promise<void> =>
  account.contract('demo_v1', { data_subject_field: 'unique_identifier' })

const svcMeta = { schemaId: '', nonce: 0, timestamp: 0, keyLink: null, billingId: null }
const outputs = '/v2/streams/clicks/outputs'

const ofIngest: Record<string, Provoke> = {
  method_not_allowed: ({ world }) => ask(`${world.ingest.url}/event`),
  invalid_token: (scene) => send(scene, { token: 'eyJhbGciOiJub25lIn0.e30.' }),
  not_an_input_stream: async (scene) =>
    send(scene, { token: await scene.account.token(scene.clicks0) }),
  unsupported_encoding: (scene) => send(scene, { headers: { 'content-encoding': 'br' } }),
  too_large: (scene) =>
    send(scene, {
      body: gzipSync(Buffer.alloc(1_100_000, ' ')),
      headers: { 'content-encoding': 'gzip' },
    }),
  schema_id_missing: (scene) => send(scene, { headers: { 'svc-schema-id': '' } }),
  unknown_schema_id: (scene) => send(scene, { headers: { 'svc-schema-id': 'clickstraem' } }),
  undecodable: async (scene) => send(scene, { body: await eventWith({ conversion: 'yes' }) }),
  key_field_empty: async (scene) =>
    send(scene, { body: await eventWith({ producerSessionId: '' }) }),
  invalid_consent_levels: async (scene) =>
    send(scene, { body: await eventWith({ svcMeta: { ...svcMeta, consentLevels: [256] } }) }),
  validation_failed: async (scene) =>
    send(scene, { body: await eventWith({ url: 'shop.example.com/products/1234' }) }),
}

/** Most of these requests exhaust or disable a stream of their own. */
const ofIngestLimits: Record<string, Provoke> = {
  scope_missing: async (scene) => {
    const { account, clicks } = scene
    const path = `/v2/streams/${clicks.name}/credentials`
    const { body } = await account.call('POST', path, { scope: 'listen' })
    const credentials = {
      clientId: String(body['clientId']),
      clientSecret: String(body['clientSecret']),
    }
    return send(scene, { token: await account.token(credentials) })
  },
  stream_disabled: async (scene) => {
    const stream = await scene.account.input('paused')
    const token = await scene.account.token(stream)
    await scene.account.call('PATCH', '/v2/streams/paused', { enabled: false })
    return until(
      (told) => told.status === 403,
      () => send(scene, { token }),
    )
  },
  event_count_used_up: async (scene) => {
    const stream = await scene.account.input('sample', { limits: { eventCount: '1' } })
    const token = await scene.account.token(stream)
    return until(
      (told) => told.status === 402,
      () => send(scene, { token }),
    )
  },
  subject_links_exceeded: async ({ world }) => {
    const { account, token, ...scene } = await makeScene(world)
    await nameDataSubjects(account)
    const event = await exampleEvent('demo_v1')
    let devices = 0
    return until(
      (told) => told.status === 429,
      () => {
        const body = { ...event, consistent_value: `device-${(devices += 1)}` }
        const headers = { 'svc-schema-id': 'demo_v1' }
        return send({ account, token, ...scene }, { headers, body: JSON.stringify(body) })
      },
    )
  },
  event_rate_exceeded: async (scene) => {
    const stream = await scene.account.input('slow', { limits: { eventRate: '1' } })
    const token = await scene.account.token(stream)
    return until(
      (told) => told.status === 429,
      () => send(scene, { token }),
    )
  },
}

const ofAuth: Record<string, Provoke> = {
  not_found: (scene) => manage(scene, '/v2/streams/cliks'),
  invalid_request: ({ world }) => ask(`${world.auth.url}/auth`, json({ clientId: 'x' })),
  not_json: (scene) => manage(scene, '/v2/streams', { method: 'POST', body: 'name=clicks' }),
  invalid_api_key: (scene) => manage(scene, '/v2/streams', { headers: {} }),
  invalid_platform_key: (scene) => manage(scene, '/v2/accounts', json({ billingId: 'acme' })),
  invalid_credentials: ({ world, account, clicks }) =>
    ask(
      `${world.auth.url}/auth`,
      json({ billingId: account.billingId, clientId: clicks.clientId, clientSecret: 'wrong' }),
    ),
  unsupported_grant_type: ({ world, clicks }) =>
    ask(`${world.auth.url}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'password',
        client_id: clicks.clientId,
        client_secret: clicks.clientSecret,
      }),
    }),
  no_data_subject_field: (scene) =>
    manage(scene, '/v2/streams/clicks/erasures', json({ subject: 'customer-00042' })),
  none_found: async (scene) => {
    await nameDataSubjects(scene.account)
    return manage(scene, '/v2/streams/clicks/erasures', json({ subject: 'customer-00042' }))
  },
  would_lose_events: async (scene) => {
    const { account, world } = scene
    const brief = await account.input('brief', { partitions: 1 })
    await account.output('brief', 'brief-1', { consentLevels: [1] })
    await send(scene, { token: await account.token(brief) })
    const reader = createTopicReader(world.env)
    await reader.admin.offsets.deleteBefore(brief.topic, [1n])
    await reader.close()
    return manage(scene, '/v2/streams/brief/outputs/brief-1/rebuild', json({}))
  },
  not_searched: async (scene) => {
    await scene.account.input('other')
    const { body } = await scene.account.call('POST', '/v2/people/search', {
      value: 'customer-00042',
      streams: ['other'],
    })
    const erasing = () => manage(scene, '/v2/streams/clicks/erasures', json(body))
    return until((told) => told.text.includes('did not cover'), erasing)
  },
  invalid_access_token: ({ world }) =>
    ask(`${world.output.url}/v2/streams/clicks/subject-access`, {
      headers: { authorization: `Bearer ${'A'.repeat(43)}` },
    }),
  not_an_output: ({ world, token }) => askKeys(world, token),
  decrypted_already: async ({ world, account, clicks0 }) =>
    askKeys(world, await account.token(clicks0)),
  name_taken: (scene) => manage(scene, '/v2/streams', json({ name: 'clicks' })),
  being_deleted: async (scene) => {
    await scene.account.input('short')
    await scene.account.call('DELETE', '/v2/streams/short')
    return manage(scene, '/v2/streams', json({ name: 'short' }))
  },
  role_missing: async (scene) => {
    const { body } = await scene.account.call('POST', '/v2/api-keys', { name: 'dashboard' })
    const headers = { authorization: `Bearer ${String(body['apiKey'])}` }
    return manage(scene, '/v2/streams', { ...json({ name: 'clicks' }), headers })
  },
  last_owner_key: async (scene) => {
    const { body } = await scene.account.call('GET', '/v2/account')
    const keyId = String(asObject(body['key'])['keyId'])
    return manage(scene, `/v2/api-keys/${keyId}`, { method: 'DELETE' })
  },
  too_many_api_keys: (scene) =>
    until(
      (told) => told.status === 409,
      () => manage(scene, '/v2/api-keys', json({ name: 'one of many' })),
    ),
  has_outputs: (scene) => manage(scene, '/v2/streams/clicks', { method: 'DELETE' }),
  not_complete: async (scene) => {
    const path = '/v2/streams/clicks/erasures'
    const { body } = await scene.account.call('POST', path, {
      keyFieldValue: 'session-0001',
      evenIfNoneFound: true,
    })
    return manage(scene, `${path}/${String(body['id'])}/receipt`)
  },
  too_many_credentials: async (scene) => {
    await scene.account.input('crowded')
    const path = '/v2/streams/crowded/credentials'
    return until(
      (told) => told.status === 409,
      () => manage(scene, path, json({})),
    )
  },
  invalid: (scene) =>
    manage(scene, '/v2/streams', json({ name: 'My Clicks', partitions: 0, tag: 'shop' })),
  invalid_scope: (scene) =>
    manage(scene, `${outputs}/clicks-0/credentials`, json({ scope: 'send' })),
  too_many_failures: ({ world, account, clicks0 }) =>
    until(
      (told) => told.status === 429,
      () =>
        ask(
          `${world.auth.url}/auth`,
          json({ billingId: account.billingId, clientId: clicks0.clientId, clientSecret: 'wrong' }),
        ),
    ),
}

const ofOutput: Record<string, Provoke> = {
  too_many_websockets: async ({ world, token }) => {
    const opened: Socket[] = []
    const onOpen = (socket: Socket) => void opened.push(socket)
    const told = await until(
      ({ status }) => status === 429,
      () => askUpgrade(`${world.output.url}/ws`, token, onOpen),
    )
    for (const socket of opened) socket.destroy()
    return told
  },
  derived_elsewhere: async (scene) => {
    const { account, world } = scene
    await account.output('clicks', 'clicks-eu', { consentLevels: [0], decrypterName: 'eu' })
    const path = `${outputs}/clicks-eu/dead/retry`
    const headers = { authorization: `Bearer ${account.apiKey}` }
    return until(
      (told) => told.status === 409,
      () => ask(world.output.url + path, { method: 'POST', headers }),
    )
  },
}

/** These requests run last, because afterwards no more values can be erased. */
const ofBounds: Record<string, Provoke> = {
  quota_exceeded: async ({ world }) => {
    const scene = await makeScene(world)
    const path = `/v2/platform/accounts/${scene.account.billingId}/quotas`
    await request(world.auth.url, setting('PLATFORM_KEY'), 'PUT', path, { streams: 1 })
    return manage(scene, '/v2/streams', json({ name: 'one-more' }))
  },
  erasures_exceeded: async (scene) => {
    let made = 0
    const erase = (count: number) => {
      const keyFieldValues = Array.from({ length: count }, () => `made-up-${(made += 1)}`)
      const body = { keyFieldValues, evenIfNoneFound: true }
      return manage(scene, '/v2/streams/clicks/erasures', json(body))
    }
    await until(
      (told) => told.status === 429,
      () => erase(20),
    )
    return until(
      (told) => told.status === 429,
      () => erase(1),
    )
  },
}

export const provoke: Readonly<Record<string, Provoke>> = {
  ...ofIngest,
  ...ofIngestLimits,
  ...ofAuth,
  ...ofOutput,
  ...ofBounds,
}

/** Repeats the attempt, because a limit may take effect a moment later, and a rate limit needs a few events. */
async function until(isIt: (told: Told) => boolean, attempt: () => Promise<Told>): Promise<Told> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const told = await attempt()
    if (isIt(told) || Date.now() > deadline) return told
  }
}
