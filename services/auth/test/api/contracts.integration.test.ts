import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createRegistry } from '@weir/schema-registry'
import {
  makeAccount,
  nextIn,
  problem,
  problemsOf,
  registryUrl,
  joinAuth,
  uniqueName,
} from '../support.ts'
import type { Account, SharedAuth } from '../support.ts'

let auth: SharedAuth
let account: Account

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
})
afterAll(() => auth.stop())

const registry = createRegistry(registryUrl)

const optional = (name: string) => ({ name, type: ['null', 'string'], default: null })

/** The schema of demo_v1 (spec Contract: demo_v1), with the later form of the envelope. */
const schema = (more: readonly object[] = []) => ({
  type: 'record',
  name: 'DemoEvent',
  namespace: 'examples.demo',
  fields: [
    {
      name: 'svcMeta',
      type: {
        type: 'record',
        name: 'Envelope',
        fields: [
          optional('schemaId'),
          { name: 'nonce', type: ['null', 'int'], default: null },
          {
            name: 'timestamp',
            type: ['null', { type: 'long', logicalType: 'date' }],
            default: null,
          },
          { name: 'keyLink', type: ['null', 'int'], default: null },
          optional('billingId'),
          { name: 'consentLevels', type: { type: 'array', items: 'int' } },
        ],
      },
    },
    optional('unique_identifier'),
    { name: 'consistent_value', type: 'string' },
    optional('some_sensitive_value'),
    ...more,
  ],
})

type Wish = { id?: string; subject?: string; version?: string; definition?: unknown; more?: object }

function contract({ id, subject, version, definition, more }: Wish = {}) {
  const ref = `${subject ?? uniqueName('catalog')}/${version ?? 'latest'}`
  return {
    id: id ?? `demo/${uniqueName('event')}/1.0.0`,
    schema: {
      schema_type: 'avro',
      schema_registry_ref: ref,
      definition: definition ?? schema(),
    },
    validations: [{ field: 'consistent_value', type: 'regex', value: '^.+$' }],
    key_field: 'consistent_value',
    pii_fields: { unique_identifier: 1, consistent_value: 2, some_sensitive_value: 3 },
    ...more,
  }
}

const subjectOf = ({ schema: { schema_registry_ref: ref } }: ReturnType<typeof contract>): string =>
  ref.slice(0, ref.indexOf('/'))

const pathOf = (id: string): string => `/v2/contracts/${encodeURIComponent(id)}`

describe('publishing a contract', () => {
  test.each(['v1', 'v2'])('/%s answers 201 with the contract as it stands', async (version) => {
    const asked = contract({ id: uniqueName('short') })
    const reply = await account.post(`/${version}/contracts`, asked)
    expect(reply.status).toBe(201)
    expect(reply.json).toEqual({
      ...asked,
      status: 'active',
      schema: { ...asked.schema, schema_registry_id: expect.any(Number) },
      createdAt: expect.any(String),
    })
  })

  test('registers an inline schema under the ref, as an object or as its text', async () => {
    for (const definition of [schema(), JSON.stringify(schema())]) {
      const asked = contract({ definition })
      const { json } = await account.post('/v2/contracts', asked)
      const registered = await registry.bySubject(subjectOf(asked), 'latest')
      expect(json['schema']).toMatchObject({ schema_registry_id: registered.id })
      expect(JSON.parse(registered.schemaText)).toEqual(schema())
    }
  })

  test('without a definition takes the schema from the registry, latest or by its version', async () => {
    const subject = uniqueName('catalog')
    const first = await registry.register(subject, JSON.stringify(schema()))
    const grown = JSON.stringify(schema([optional('added')]))
    const second = await registry.register(subject, grown)
    for (const [version, id] of [
      ['1', first.id],
      ['latest', second.id],
    ] as const) {
      const { schema: asked, ...rest } = contract({ subject, version })
      const reply = await account.post('/v2/contracts', {
        ...rest,
        schema: { schema_type: asked.schema_type, schema_registry_ref: asked.schema_registry_ref },
      })
      expect(reply.status).toBe(201)
      expect(reply.json['schema']).toMatchObject({ schema_registry_id: id })
    }
  })

  test('is refused with 422 when the registry has no such schema and none is given', async () => {
    const { schema: asked, ...rest } = contract()
    const reply = await account.post('/v2/contracts', {
      ...rest,
      schema: { schema_type: 'avro', schema_registry_ref: asked.schema_registry_ref },
    })
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([expect.stringMatching(/^schema.definition: is missing/)])
  })

  test('is refused with 422 and everything that is wrong at once, misspelt members included', async () => {
    const reply = await account.post('/v2/contracts', {
      ...contract({ id: 'no/version' }),
      validations: [{ field: 'nothing', type: 'regexp', value: '(', flags: 'i' }],
      key_field: 'svcMeta/billingId',
      pii_fields: { unique_identifier: 256, nothing: 1 },
      pii_field: {},
    })
    expect(reply.status).toBe(422)
    expect(reply.json).toMatchObject(problem(422, 'invalid'))
    const problems = problemsOf(reply).join('\n')
    for (const place of [
      'pii_field: is not known here',
      'validations[0].flags: is not known here',
      'id: must be',
      'validations[0].field:',
      'validations[0].type:',
      'validations[0].value:',
      'key_field:',
      'pii_fields["unique_identifier"]:',
      'pii_fields["nothing"]:',
    ])
      expect(problems).toContain(place)
  })

  test('is refused with 422 when the ref names another version than the schema given', async () => {
    const subject = uniqueName('catalog')
    await registry.register(subject, JSON.stringify(schema()))
    const definition = schema([optional('added')])
    const reply = await account.post(
      '/v2/contracts',
      contract({ subject, version: '1', definition }),
    )
    expect(reply.status).toBe(422)
    expect(problemsOf(reply)).toEqual([
      expect.stringMatching(/^schema.schema_registry_ref: version 1 of .* is not this schema/),
    ])
    const same = await account.post('/v2/contracts', contract({ subject, version: '1' }))
    expect(same.status).toBe(201)
  })

  test('is refused with 422 for what is no JSON object', async () => {
    for (const json of [[], 'x', null])
      expect(problemsOf(await account.post('/v2/contracts', json))).toEqual([
        'The body must be a JSON object',
      ])
  })

  test('of two at once with one id, one gets 201 and the other 409', async () => {
    const id = `demo/${uniqueName('event')}/1.0.0`
    const replies = await Promise.all(
      [contract({ id }), contract({ id })].map((asked) => account.post('/v2/contracts', asked)),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201, 409]))
    const late = await account.post('/v2/contracts', contract({ id }))
    expect(late.json).toEqual(problem(409, 'name_taken'))
  })

  test("a subject is its first account's: another one may not name it, with or without a schema", async () => {
    const other = await makeAccount(auth)
    const asked = contract()
    await account.post('/v2/contracts', asked)
    const { schema: withSchema, ...rest } = contract({ subject: subjectOf(asked) })
    const cases = [
      [
        withSchema,
        /^schema.schema_registry_ref: .* is taken; choose one that starts with your own billing id, such as .*-events$/,
      ],
      [
        { ...withSchema, definition: undefined },
        /^schema.definition: is missing, and the registry/,
      ],
    ] as const
    for (const [schemaPart, problemOf] of cases) {
      const reply = await other.post('/v2/contracts', { ...rest, schema: schemaPart })
      expect(reply.status).toBe(422)
      expect(problemsOf(reply)).toEqual([expect.stringMatching(problemOf)])
    }
    const again = await account.post('/v2/contracts', contract({ subject: subjectOf(asked) }))
    expect(again.status).toBe(201)
  })

  test("a subject that begins with an account's name is for this account alone, used or not", async () => {
    const [other, subject] = [await makeAccount(auth), `${account.billingId}-orders`]
    await registry.register(subject, JSON.stringify(schema()))
    const { schema: withSchema, ...rest } = contract({ subject })
    for (const schemaPart of [withSchema, { ...withSchema, definition: undefined }]) {
      const reply = await other.post('/v2/contracts', { ...rest, schema: schemaPart })
      expect(reply.status).toBe(422)
      expect(JSON.stringify(reply.json)).toMatch(/ is taken; choose one that|is missing, and/)
    }
    expect((await account.post('/v2/contracts', contract({ subject }))).status).toBe(201)
  })

  test('the same id in another account is another contract', async () => {
    const [other, id] = [await makeAccount(auth), `demo/${uniqueName('event')}/1.0.0`]
    expect((await account.post('/v2/contracts', contract({ id }))).status).toBe(201)
    expect((await other.post('/v2/contracts', contract({ id }))).status).toBe(201)
  })

  test('warns where contracts of the account give key fields different levels', async () => {
    const mine = await makeAccount(auth)
    const first = contract()
    expect((await mine.post('/v2/contracts', first)).json).not.toHaveProperty('warnings')
    const lower = contract({ more: { pii_fields: { consistent_value: 0 } } })
    const { status, json } = await mine.post('/v2/contracts', lower)
    expect(status).toBe(201)
    expect(json['warnings']).toEqual([expect.stringContaining(first.id)])
  })
})

describe('looking at contracts', () => {
  test('lists and shows them by their percent-encoded id, as they were published', async () => {
    const mine = await makeAccount(auth)
    const asked = contract()
    const { json } = await mine.post('/v2/contracts', asked)
    expect((await mine.get('/v2/contracts')).list).toEqual([json])
    expect((await mine.get('/v1/contracts')).list).toEqual([json])
    const shown = await mine.get(pathOf(asked.id))
    expect(shown.status).toBe(200)
    expect(shown.json).toEqual(json)
  })

  test('comes in pages, which a few large ones fill', async () => {
    const mine = await makeAccount(auth)
    const ids = ['a', 'b', 'c'].map((part) => `demo/${part}/1.0.0`)
    const large = { ...schema(), doc: 'x'.repeat(100_000) }
    for (const id of ids) await mine.post('/v2/contracts', contract({ id, definition: large }))
    const first = await mine.get('/v2/contracts')
    expect(first.list.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    const last = await mine.get(`/v2/contracts?${nextIn(first)}`)
    expect(last.list.map(({ id }) => id)).toEqual(ids.slice(2))
    expect(last.headers.get('link')).toBeNull()
    expect((await mine.get('/v2/contracts?limit=0')).json).toMatchObject(problem(422, 'invalid'))
  })

  test("is refused with 404 for what is not there, and for another account's", async () => {
    const other = await makeAccount(auth)
    const asked = contract()
    await other.post('/v2/contracts', asked)
    for (const id of [asked.id, 'nothing']) {
      const reply = await account.get(pathOf(id))
      expect(reply.status).toBe(404)
      expect(reply.json).toEqual(problem(404, 'not_found'))
    }
  })
})

describe('archiving a contract', () => {
  test('answers 200, keeps it visible as archived, and its id taken', async () => {
    const asked = contract()
    await account.post('/v2/contracts', asked)
    for (let time = 0; time < 2; time++) {
      const reply = await account.post(`${pathOf(asked.id)}/archive`)
      expect(reply.status).toBe(200)
      expect(reply.json).toMatchObject({ id: asked.id, status: 'archived' })
    }
    expect((await account.get(pathOf(asked.id))).json).toMatchObject({ status: 'archived' })
    expect((await account.post('/v2/contracts', contract({ id: asked.id }))).status).toBe(409)
  })

  test('is refused with 404 for what is not there', async () => {
    expect((await account.post(`${pathOf('demo/nothing/1.0.0')}/archive`)).status).toBe(404)
  })
})
