// Events that are refused for their content: the exact error messages and codes (spec Errors). No refused event is
// stored.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { asObject, compiledExample, madeEvent, newContract, within } from '@weir/testkit'
import type { Header } from '../support/clients.ts'
import {
  bearer,
  eventOf,
  expectAccepted,
  expectRefusedByBoth,
  schema,
  startScene,
} from '../support/scene.ts'
import type { Scene } from '../support/scene.ts'

const longId = 'shop/order/1.0.0'
const urlPattern = '^(https?|ftp|file)://[-a-zA-Z0-9+&@#/%?=~_|!:,.;]*[-a-zA-Z0-9+&@#/%=~_|]'

let scene: Scene
beforeAll(async () => {
  scene = await startScene({ contracts: ['clickstream', 'demo_v1'] })
  await newContract(scene.account, {
    id: longId,
    fields: [
      { name: 'code', type: 'string' },
      { name: 'maybe', type: ['null', 'string'], default: null },
      { name: 'list', type: { type: 'array', items: 'string' } },
      {
        name: 'inner',
        type: {
          type: 'record',
          name: 'Inner',
          fields: [{ name: 'key', type: ['null', 'string'] }],
        },
      },
    ],
    validations: [
      { field: 'code', value: '^[a-z]+$' },
      { field: 'maybe', value: 'x' },
      { field: 'list', value: '^l' },
    ],
    keyField: 'inner/key',
    piiFields: { 'inner/key': 0 },
  })
})
afterAll(() => scene?.stop())

const long = { code: 'abc', list: ['l'], inner: { key: { string: 'k' } } }
const longEvent = (parts: object = {}, levels?: number[]): string => {
  const { key: _, ...event } = asObject(JSON.parse(madeEvent({ ...long, ...parts }, levels)))
  return JSON.stringify(event)
}

const refused = (
  body: string | Buffer,
  headers: readonly Header[],
  code: string,
  sentence?: string,
): Promise<void> =>
  expectRefusedByBoth(scene, { body, headers: [bearer(scene.token), ...headers] }, [
    400,
    code,
    sentence,
  ])

describe('a validation that fails is answered with its sentence', () => {
  test.each([
    ['url', 'not a url', { url: 'not a url' }, urlPattern],
    ['url', '', { url: '' }, urlPattern],
    ['customer/id', '', { customer: { id: '' } }, '^.+$'],
    ['url', "it's 'quoted' – naïve 🙂", { url: "it's 'quoted' – naïve 🙂" }, urlPattern],
  ])('a short schema id: %s is %j', async (field, value, parts, pattern) => {
    await refused(
      await eventOf('clickstream', parts),
      [schema('clickstream')],
      'validation_failed',
      `regex clickstream/${field} '${value}' doesnt match '${pattern}'`,
    )
  })

  test('of an id with owner, name and version', async () => {
    await refused(
      longEvent({ code: 'ABC' }),
      [schema(longId)],
      'validation_failed',
      `Field: 'code' in event with schema: 'shop/order/1.0.0' with value: 'ABC' doesn't match regex: '^[a-z]+$'`,
    )
  })

  test("the first in the contract's order answers", async () => {
    await refused(
      await eventOf('clickstream', { url: 'x', customer: { id: '' } }),
      [schema('clickstream')],
      'validation_failed',
      "regex clickstream/customer/id '' doesnt match '^.+$'",
    )
  })

  test('a nullable field passes on null and fails on its value', async () => {
    expectAccepted(
      await scene.clients['HTTP/2'].send({
        headers: [bearer(scene.token), schema(longId)],
        body: longEvent({ maybe: null }),
      }),
    )
    await refused(
      longEvent({ maybe: { string: 'abc' } }),
      [schema(longId)],
      'validation_failed',
      `Field: 'maybe' in event with schema: '${longId}' with value: 'abc' doesn't match regex: 'x'`,
    )
  })

  test('a list fails on its first element that does', async () => {
    await refused(
      longEvent({ list: ['lo', 'hi', 'ho'] }),
      [schema(longId)],
      'validation_failed',
      `Field: 'list' in event with schema: '${longId}' with value: 'hi' doesn't match regex: '^l'`,
    )
  })

  test('the same from Avro as from JSON', async () => {
    const contract = await compiledExample('clickstream')
    const event = contract.readJson(Buffer.from(await eventOf('clickstream', { url: 'nope' })))
    await refused(
      gzipSync(contract.encode(event)),
      [schema('clickstream'), ['content-encoding', 'gzip'], ['content-type', 'avro/binary']],
      'validation_failed',
      `regex clickstream/url 'nope' doesnt match '${urlPattern}'`,
    )
  })
})

describe('a schema id', () => {
  test('that no contract has is said back', async () => {
    const body = await eventOf('clickstream')
    for (const id of ['nothing', 'shop/order/1.0.1', 'Clickstream', "o'clock"])
      await refused(body, [schema(id)], 'unknown_schema_id', `Unknown schema id: '${id}'`)
  })

  test('of a contract that was archived is unknown', async () => {
    await newContract(scene.account, { id: 'gone', fields: [] })
    const request = { headers: [bearer(scene.token), schema('gone')], body: madeEvent() }
    expectAccepted(await scene.clients['HTTP/2'].send(request))
    expect((await scene.account.call('POST', '/v2/contracts/gone/archive')).status).toBe(200)
    const isRefused = async (): Promise<boolean> =>
      (await scene.clients['HTTP/2'].send(request)).status === 400
    await pollUntil(isRefused, {
      deadlineMs: within(1_000),
      everyMs: 20,
      what: 'refusing what is archived',
    })
    const sentence = "Unknown schema id: 'gone' (the contract is archived)"
    await refused(madeEvent(), [schema('gone')], 'unknown_schema_id', sentence)
  })

  test('is missing when no header names it, or only with nothing', async () => {
    const body = await eventOf('clickstream')
    await refused(body, [], 'schema_id_missing')
    await refused(body, [schema('')], 'schema_id_missing')
  })
})

describe('the key field', () => {
  test('must not be empty', async () => {
    await refused(
      await eventOf('clickstream', { producerSessionId: '' }),
      [schema('clickstream')],
      'key_field_empty',
      'The key field producerSessionId is empty',
    )
  })

  test.each([[null], [{ string: '' }]])(
    'must not be %j where it is nullable and nested',
    async (key) => {
      await refused(
        longEvent({ inner: { key } }),
        [schema(longId)],
        'key_field_empty',
        'The key field inner/key is empty',
      )
    },
  )
})

test.each([[-1], [256], [2_147_483_647], [-2_147_483_648]])(
  'a consent level of %d is refused',
  async (level) => {
    for (const levels of [[level], [0, 255, level]])
      await refused(longEvent({}, levels), [schema(longId)], 'invalid_consent_levels')
  },
)

test('consent levels of 0 and 255, and one twice, are accepted', async () => {
  expectAccepted(
    await scene.clients['HTTP/2'].send({
      headers: [bearer(scene.token), schema(longId)],
      body: longEvent({}, [0, 255, 255]),
    }),
  )
})

test.each<[string, readonly Header[]]>([
  ['Svc-Schema-Id', [schema('clickstream'), schema('clickstream')]],
  [
    'Strm-Schema-Id',
    [
      ['strm-schema-id', 'clickstream'],
      ['strm-schema-id', 'clickstream'],
    ],
  ],
  [
    'Content-Type',
    [
      schema('clickstream'),
      ['content-type', 'application/json'],
      ['content-type', 'application/json'],
    ],
  ],
  [
    'Content-Encoding',
    [schema('clickstream'), ['content-encoding', 'identity'], ['content-encoding', 'identity']],
  ],
  [
    'Svc-Serialization-Type',
    [
      schema('clickstream'),
      ['svc-serialization-type', 'application/json'],
      ['svc-serialization-type', 'application/json'],
    ],
  ],
])('the header %s twice is refused, even with the same value', async (name, headers) => {
  await refused(
    await eventOf('clickstream'),
    headers,
    'duplicate_header',
    `There are several ${name.toLowerCase()} headers; send one`,
  )
})

test('nothing of what was refused is stored', async () => {
  const stream = await scene.account.input('nothing')
  const token = await scene.account.token(stream)
  const send = async (parts: object) =>
    scene.clients['HTTP/2'].send({
      headers: [bearer(token), schema('clickstream')],
      body: await eventOf('clickstream', parts),
    })
  for (const parts of [{ url: 'x' }, { conversion: '1' }, { producerSessionId: '' }])
    expect((await send(parts)).status).toBe(400)
  expectAccepted(await send({}))
  await scene.reader.readUntil(stream.topic, 1)
})

test('an event has at most 10,000 values of personal fields, with the elements of lists: 413', async () => {
  await newContract(scene.account, {
    id: 'listed',
    fields: [{ name: 'people', type: { type: 'array', items: 'string' } }],
    piiFields: { people: 0 },
  })
  const send = (count: number) => ({
    headers: [bearer(scene.token), schema('listed')],
    body: madeEvent({ people: Array<string>(count).fill('p') }),
  })
  expectAccepted(await scene.clients['HTTP/2'].send(send(10_000)))
  await expectRefusedByBoth(scene, send(10_001), [
    413,
    'too_large',
    'The event has 10001 values of personal fields, list elements included, and may have 10000',
  ])
})
