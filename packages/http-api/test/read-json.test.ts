// Bodies: invalid JSON gets 400, and violated rules get 422 with all problems together.
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import {
  bodyRule,
  jsonSchemaOf,
  checkBody,
  levelRules,
  readJson,
  readOptionalJson,
} from '../src/index.ts'
import type { Call } from '../src/index.ts'

const callWith = (body: string | Buffer): Call =>
  ({ readBody: async () => Buffer.from(body) }) as unknown as Call

test.each([
  ['nothing', '', 'The body is empty; send a JSON object'],
  ['what is no JSON', 'name=clicks', 'The body is not JSON in UTF-8'],
  ['broken UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'The body is not JSON in UTF-8'],
  ['deep JSON', '['.repeat(257) + ']'.repeat(257), 'The body is nested deeper than 256 levels'],
])('%s is not_json', async (_, body, message) => {
  await expect(readJson(callWith(body))).rejects.toMatchObject({ code: 'not_json', message })
})

test('an endpoint without necessary input takes nothing for an empty object', async () => {
  expect(await readOptionalJson(callWith(''))).toEqual({})
  await expect(readOptionalJson(callWith('{'))).rejects.toMatchObject({ code: 'not_json' })
})

const bodySchema = z.strictObject(
  { name: z.string('must be a text'), of: z.strictObject({ size: z.int('must be whole') }) },
  bodyRule,
)

test('every problem is one sentence, unknown members included, and the same is told once', () => {
  const body = { name: 7, of: { size: 0.5, colour: 'red' }, tag: 1 }
  expect(() => checkBody(bodySchema, body)).toThrow(
    expect.objectContaining({
      code: 'invalid',
      problems: [
        'name must be a text',
        'of.size must be whole',
        'of.colour is not known here; leave it out',
        'tag is not known here; leave it out',
      ],
    }),
  )
})

test('a body that is no object is told by the rule of bodies', () => {
  expect(() => checkBody(bodySchema, [])).toThrow('The body must be a JSON object')
})

test('a list longer than any is refused before its items are looked at', () => {
  let looked = 0
  const item = z.string().refine(() => ++looked > 0)
  const schema = z.strictObject({ tags: z.array(item) })
  const body = { tags: Array.from({ length: 1_001 }, () => 'a') }
  expect(() => checkBody(schema, body)).toThrow('tags has more than 1000 items')
  expect(looked).toBe(0)
})

test('what checks a body is what tells of it in the OpenAPI document', () => {
  const told = jsonSchemaOf(bodySchema, levelRules)
  expect(told).toMatchObject({
    type: 'object',
    required: ['name', 'of'],
    additionalProperties: false,
    ...levelRules,
  })
  expect(told).not.toHaveProperty('$schema')
})
