// The first check that fails answers (docs/wire-format.md Ingest): requests that are wrong in several ways get
// the answer of the earliest, over both protocols.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { asObject, exampleEvent, expectStatus, textIn } from '@weir/testkit'
import { protocols } from '../support/clients.ts'
import type { Header, Sent } from '../support/clients.ts'
import { startOwnScene } from '../support/own-broker.ts'
import type { OwnScene } from '../support/own-broker.ts'
import { bearer, expectAccepted, goodRequest, schema } from '../support/scene.ts'

/** What may be wrong with a request, in the order in which it is to be found. */
const faults = [
  ['path', 404, 'not_found'],
  ['method', 405, 'method_not_allowed'],
  ['token', 401, 'invalid_token'],
  ['kind', 403, 'not_an_input_stream'],
  ['scope', 403, 'scope_missing'],
  ['enabled', 403, 'stream_disabled'],
  ['eventCount', 402, 'event_count_used_up'],
  ['eventRate', 429, 'event_rate_exceeded'],
  ['encoding', 415, 'unsupported_encoding'],
  ['size', 413, 'too_large'],
  ['schema id', 400, 'schema_id_missing'],
  ['unknown contract', 400, 'unknown_schema_id'],
  ['gzip', 400, 'undecodable'],
  ['decoding', 400, 'undecodable'],
  ['key', 400, 'key_field_empty'],
  ['levels', 400, 'invalid_consent_levels'],
  ['validation', 400, 'validation_failed'],
] as const
type Fault = (typeof faults)[number][0]

/** One token each: the later of these are wrong with it too, as far as they can be. */
const tokenFaults = ['token', 'kind', 'scope', 'enabled', 'eventCount', 'eventRate'] as const

let scene: OwnScene
const tokens = new Map<Fault, string>()

beforeAll(async () => {
  scene = await startOwnScene()
  const { account } = scene
  const credentialsFor = async (stream: string, scope: string) => {
    const path = `/v2/streams/${stream}/credentials`
    const { body } = expectStatus(await account.call('POST', path, { scope }), 201)
    return { clientId: textIn(body, 'clientId'), clientSecret: textIn(body, 'clientSecret') }
  }
  const usedUp = async (name: string): Promise<string> => {
    const token = await account.token(
      await account.input(name, { limits: { eventRate: '1', eventCount: '1' } }),
    )
    expectAccepted(await scene.clients['HTTP/2'].send(await goodRequest(token)))
    return token
  }
  tokens.set('token', 'nonsense')
  tokens.set('eventCount', await usedUp('used-up'))
  tokens.set('enabled', await usedUp('disabled'))
  tokens.set('scope', await account.token(await credentialsFor('disabled', 'listen')))
  const derived = await account.output('disabled', 'derived', { consentLevels: [0] })
  tokens.set('kind', await account.token(derived))
  const patch = { enabled: false }
  expectStatus(await account.call('PATCH', '/v2/streams/disabled', patch), 200)
  expectStatus(await account.call('PATCH', '/v2/streams/disabled/outputs/derived', patch), 200)
  const rare = await account.input('rare', { limits: { eventRate: '1', eventCount: '1000' } })
  tokens.set('eventRate', await account.token(rare))
  const isDisabled = async (): Promise<boolean> =>
    (await scene.clients['HTTP/2'].send(await requestWith(['enabled']))).status === 403
  await pollUntil(isDisabled, { deadlineMs: 1_000, everyMs: 20, what: 'disabling' })
})
afterAll(() => scene?.stop())

async function requestWith(wrong: readonly Fault[]): Promise<Sent> {
  const is = (fault: Fault): boolean => wrong.includes(fault)
  const tokenFault = tokenFaults.find(is)
  const token = tokenFault === undefined ? scene.token : (tokens.get(tokenFault) ?? '')
  const event = await exampleEvent('clickstream')
  const body = JSON.stringify({
    ...event,
    ...(is('size') ? { referrer: 'r'.repeat(1_048_576) } : {}),
    ...(is('decoding') ? { conversion: 'many' } : {}),
    ...(is('key') ? { producerSessionId: '' } : {}),
    ...(is('levels') ? { svcMeta: { ...asObject(event['svcMeta']), consentLevels: [256] } } : {}),
    ...(is('validation') ? { url: 'nowhere' } : {}),
  })
  const headers: Header[] = [bearer(token)]
  if (!is('schema id')) headers.push(schema(is('unknown contract') ? 'unknown' : 'clickstream'))
  if (is('encoding')) headers.push(['content-encoding', 'br'])
  else if (is('gzip')) headers.push(['content-encoding', 'gzip'])
  return {
    method: is('method') ? 'PUT' : 'POST',
    path: is('path') ? '/nowhere' : '/event',
    headers,
    body,
  }
}

/** The rate is exceeded by the second of two requests in quick succession. */
async function expectAnswer(wrong: readonly Fault[], status: number, code: string): Promise<void> {
  const request = await requestWith(wrong)
  for (const protocol of protocols) {
    const { send } = scene.clients[protocol]
    const answer =
      wrong[0] === 'eventRate'
        ? await pollUntil(() => send(request).then((it) => it.status === 429 && it), {
            deadlineMs: 5_000,
            everyMs: 0,
          })
        : await send(request)
    expect([wrong, answer.status, answer.header('svc-error')]).toEqual([wrong, status, code])
  }
}

describe.each(faults)('what is wrong with its %s is answered with %d %s', (fault, status, code) => {
  const later = faults.slice(faults.findIndex(([name]) => name === fault) + 1)

  test('alone', async () => {
    await expectAnswer([fault], status, code)
  })

  test('before anything that is found later', async () => {
    for (const [other] of later) await expectAnswer([fault, other], status, code)
    await expectAnswer([fault, ...later.map(([name]) => name)], status, code)
  })
})

test('what is in a gzip body is found in the same order', async () => {
  const { headers = [], ...request } = await requestWith(['validation'])
  const body = gzipSync(String(request.body))
  for (const [id, code] of [
    ['unknown', 'unknown_schema_id'],
    ['clickstream', 'validation_failed'],
  ] as const) {
    const answer = await scene.clients['HTTP/2'].send({
      ...request,
      headers: [headers[0] ?? bearer(''), schema(id), ['content-encoding', 'gzip']],
      body,
    })
    expect(answer.header('svc-error')).toBe(code)
  }
})
