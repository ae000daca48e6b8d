// Which schemas a contract may have, and what the envelope in them must look like.
import { describe, expect, test } from '@jest/globals'
import { prepareContract } from '../src/index.ts'
import { definitionWith } from './examples.ts'
import { problemsOf, list, levels } from './problems.ts'

describe('the envelope', () => {
  const problemsOfSchema = (fields: readonly unknown[]) =>
    problemsOf({
      ...definitionWith({}),
      schema: {
        schema_type: 'avro',
        schema_registry_ref: 'catalog-test/latest',
        definition: { type: 'record', name: 'E', fields },
      },
    })
  const key = { name: 'key', type: 'string' }
  const meta = (...fields: unknown[]) => ({
    name: 'svcMeta',
    type: { type: 'record', name: 'Meta', fields },
  })
  const schemaId = { name: 'schemaId', type: 'string' }

  test('must be there, first, and a record', async () => {
    const problem = 'schema.definition: must begin with the field svcMeta, a record'
    expect(await problemsOfSchema([key])).toEqual([problem])
    expect(await problemsOfSchema([key, meta(schemaId, levels)])).toEqual([problem])
    expect(await problemsOfSchema([{ name: 'svcMeta', type: 'string' }, key])).toEqual([problem])
  })

  test('needs consentLevels and an id, and its members the types of the spec', async () => {
    expect(await problemsOfSchema([meta(), key])).toEqual([
      'schema.definition: svcMeta must have the member schemaId or eventContractRef',
      'schema.definition: svcMeta must have the member consentLevels',
    ])
    const wrong = meta(
      { name: 'eventContractRef', type: 'int' },
      { name: 'nonce', type: 'string' },
      { name: 'timestamp', type: ['null', 'int'] },
      { name: 'keyLink', type: ['null', 'int', 'string'] },
      { name: 'billingId', type: 'bytes' },
      { name: 'consentLevels', type: ['null', list('int')] },
    )
    expect(await problemsOfSchema([wrong, key])).toEqual([
      'schema.definition: svcMeta/eventContractRef must be string, nullable or not',
      'schema.definition: svcMeta/nonce must be int or long, nullable or not',
      'schema.definition: svcMeta/timestamp must be long, nullable or not',
      'schema.definition: svcMeta/keyLink must be int or string, nullable or not',
      'schema.definition: svcMeta/billingId must be string, nullable or not',
      'schema.definition: svcMeta/consentLevels must be a list of int',
    ])
  })

  test('that may be null can be made from nothing', async () => {
    const definition = definitionWith({
      meta: [schemaId, levels, { name: 'trace', type: 'string' }],
      metaType: (record) => ['null', record],
    })
    expect(await problemsOf(definition)).toEqual([
      'schema.definition: svcMeta/trace needs a default, since svcMeta may be null',
    ])
  })
})

describe('schemas that are refused', () => {
  test.each([
    ['not JSON', '{', 'is not JSON'],
    ['no record', '"string"', 'must be a record'],
    ['too long', `"${'a'.repeat(262_144)}"`, 'is longer than 262144 characters'],
  ])('%s', async (_, text, problem) => {
    expect(await prepareContract(definitionWith({}), text)).toEqual({
      problems: [`schema.definition: ${problem}`],
    })
  })

  test.each([
    ['nulls', list('null')],
    ['fixed of no size', list({ type: 'fixed', name: 'Fixed', size: 0 })],
    ['empty records', list({ type: 'record', name: 'Fixed', fields: [] })],
    [
      'records of nulls',
      list({ type: 'record', name: 'Fixed', fields: [{ name: 'a', type: 'null' }] }),
    ],
    ['nulls by key', { type: 'map', values: 'null' }],
  ])('a list of %s, deep inside', async (_, type) => {
    const definition = definitionWith({ fields: [{ name: 'deep', type: ['null', list(type)] }] })
    const [problem, ...others] = await problemsOf(definition)
    expect(problem).toMatch(
      /^schema.definition: has a list or map of \w+, whose items have no octets$/,
    )
    expect(others).toEqual([])
  })

  test('a record that holds itself without end; one that may end is fine', async () => {
    const node = (next: unknown) => ({
      type: 'record',
      name: 'Node',
      fields: [{ name: 'next', type: next }],
    })
    const problems = (next: unknown) =>
      problemsOf(definitionWith({ fields: [{ name: 'node', type: node(next) }] }))
    const [first] = await problems('Node')
    expect(first).toMatch(/cannot have a value that is nested no deeper than 64$/)
    expect(await problems(['null', 'Node'])).toEqual([])
    expect(await problems(list('Node'))).toEqual([])
  })
})
