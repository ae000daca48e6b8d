import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compileContract, prepareContract } from '../src/index.ts'
import { definitionOf, definitionWith, exampleNames } from './examples.ts'
import { prepare, problemsOf, list } from './problems.ts'

describe('a good contract', () => {
  test.each(exampleNames)(
    '%s of the spec is prepared',
    async (name) => {
      const definition = definitionOf(name)
      expect(await prepare(definition)).toEqual({
        prepared: {
          id: definition.id,
          schemaText: JSON.stringify(definition.schema.definition),
          validations: definition.validations.map((validation) => ({
            ...validation,
            engine: 'v8',
          })),
          keyField: definition.key_field,
          piiFields: definition.pii_fields,
        },
      })
    },
    60_000,
  )

  test('the definition may be text, and what was prepared survives JSON', async () => {
    const definition = definitionOf('demo_v1')
    const schemaText = JSON.stringify(definition.schema.definition, null, 1)
    const result = await prepare({
      ...definition,
      schema: { ...definition.schema, definition: schemaText },
      data_subject_field: 'some_sensitive_value',
    })
    if ('problems' in result) throw new Error(result.problems.join())
    expect(result.prepared.schemaText).toBe(schemaText)
    expect(result.prepared.dataSubjectField).toBe('some_sensitive_value')
    const again: typeof result.prepared = JSON.parse(JSON.stringify(result.prepared))
    expect(compileContract(again).id).toBe('demo_v1')
  })

  test('each validation gets the engine that its pattern needs', async () => {
    const patterns = ['^.+$', '(a+)+$', '^[0-9]{4}-[0-9]{2}$', '(a?){30}a{30}']
    const result = await prepare(
      definitionWith({
        validations: patterns.map((value) => ({ field: 'key', type: 'regex', value })),
      }),
    )
    if ('problems' in result) throw new Error(result.problems.join())
    expect(result.prepared.validations.map(({ engine }) => engine)).toEqual([
      'v8',
      're2',
      'v8',
      're2',
    ])
  })
})

describe('all that is wrong is said at once', () => {
  test('nothing is right', async () => {
    expect(await problemsOf({})).toEqual([
      expect.stringContaining('id: must be a short name, or <owner>/<name>/<version>'),
      'schema.schema_type: must be avro',
      expect.stringContaining('schema_registry_ref: must be <subject>/<version or latest>'),
      'schema.definition: is missing, and the registry has none under the ref',
      'validations: must be a list of no more than 100, which may be empty',
      'pii_fields: must be an object that maps field paths to consent levels',
      'key_field: is missing',
    ])
  })

  test('but which pattern no engine runs well is only looked into when all else is right', async () => {
    const validations = [{ field: 'key', type: 'regex', value: '(?=a)*(b|b)*$' }]
    expect(await problemsOf(definitionWith({ validations }))).toEqual([
      "validations[0].value: can't be proved linear, and RE2 can't express it: it looks ahead or behind",
    ])
    expect(await problemsOf(definitionWith({ validations, keyField: 'nothing' }))).toEqual([
      'key_field: "nothing" names no field of the event',
    ])
  })

  test('paths, types and levels', async () => {
    const inner = { type: 'record', name: 'Inner', fields: [{ name: 'id', type: 'string' }] }
    const definition = definitionWith({
      fields: [
        { name: 'number', type: 'int' },
        { name: 'inner', type: inner },
        { name: 'inners', type: list('Inner') },
        { name: 'either', type: ['null', 'string', 'int'] },
        { name: 'texts', type: list(['null', 'string']) },
        { name: 'maybe', type: ['null', list('string')] },
        { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['A'] } },
        { name: 'names', type: { type: 'map', values: 'string' } },
      ],
      validations: [
        { field: 'nothing', type: 'regex', value: 'a' },
        { field: 'number', type: 'range', value: '(' },
        { field: 5, type: 'regex' },
        'a',
      ],
      keyField: 'number',
      subject: 'inner/nothing',
      pii: {
        '': 1,
        'inner/id/more': 1,
        'inner.id': 0,
        'inners/id': 1,
        number: 1,
        either: 1,
        'either/name': 1,
        texts: 1,
        maybe: 1,
        kind: 1,
        names: 1,
        inner: 256,
        'inner/id': -1,
        key: 1.5,
        'svcMeta/schemaId': 0,
        toString: '1',
      },
    })
    expect(await problemsOf(definition)).toEqual([
      'validations[0].field: "nothing" names no field of the event',
      'validations[1].field: "number" is no string, nullable string or list of strings',
      'validations[1].type: must be regex',
      'validations[1].value: is not a regular expression: Unterminated group',
      'validations[2].field: must be a string',
      'validations[2].value: must be a string',
      'validations[3].field: must be a string',
      'validations[3].type: must be regex',
      'validations[3].value: must be a string',
      'pii_fields[""]: names no field of the event',
      'pii_fields["inner/id/more"]: names no field of the event',
      'pii_fields["inner.id"]: names no field of the event: write inner/id',
      'pii_fields["inners/id"]: lies in a list, but a path leads only through records and unions of null and a record',
      'pii_fields["number"]: is no string, nullable string or list of strings',
      'pii_fields["either"]: is no string, nullable string or list of strings',
      'pii_fields["either/name"]: lies in a union, but a path leads only through records and unions of null and a record',
      'pii_fields["texts"]: is no string, nullable string or list of strings',
      'pii_fields["maybe"]: is no string, nullable string or list of strings',
      'pii_fields["kind"]: is no string, nullable string or list of strings',
      'pii_fields["names"]: is no string, nullable string or list of strings',
      'pii_fields["inner"]: must be a consent level, an integer from 0 to 255',
      'pii_fields["inner"]: is no string, nullable string or list of strings',
      'pii_fields["inner/id"]: must be a consent level, an integer from 0 to 255',
      'pii_fields["key"]: must be a consent level, an integer from 0 to 255',
      'pii_fields["svcMeta/schemaId"]: must not lie in svcMeta',
      'pii_fields["toString"]: must be a consent level, an integer from 0 to 255',
      'pii_fields["toString"]: names no field of the event',
      'key_field: "number" is no string or nullable string',
      'data_subject_field: "inner/nothing" names no field of the event',
    ])
  })

  test('no more than 100 problems are listed', async () => {
    const pii = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`f${index}`, 1]))
    expect(await problemsOf(definitionWith({ pii }))).toHaveLength(100)
  })
})

describe('the key field and the data subject', () => {
  test.each([
    [undefined, 'key_field: is missing'],
    ['nothing', 'key_field: "nothing" names no field of the event'],
    ['svcMeta/schemaId', 'key_field: must not lie in svcMeta'],
    ['list', 'key_field: "list" is no string or nullable string'],
  ])('%s is refused as the key field', async (keyField, problem) => {
    const definition = definitionWith({ fields: [{ name: 'list', type: list('string') }] })
    expect(await problemsOf({ ...definition, key_field: keyField })).toEqual([problem])
  })

  test('data_subject_field of another type than string is refused', async () => {
    expect(await problemsOf({ ...definitionWith({}), data_subject_field: null })).toEqual([
      'data_subject_field: must be a string',
    ])
  })

  test('the key field is refused as the data subject, for it is erased by itself', async () => {
    expect(await problemsOf(definitionWith({ subject: 'key' }))).toEqual([
      'data_subject_field: must be another field than key_field',
    ])
  })
})

test('no JSON value makes it throw', async () => {
  const definition = definitionOf('clickstream')
  const members = ['id', 'schema', 'validations', 'key_field', 'pii_fields', 'data_subject_field']
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.constantFrom(...members), async (value, member) => {
      for (const input of [value, { ...definition, validations: [], [member]: value }]) {
        const result = await prepare(input)
        expect('prepared' in result || result.problems.length > 0).toBe(true)
        if ('prepared' in result) compileContract(result.prepared)
      }
    }),
    { numRuns: 300 },
  )
})

test('more personal fields than may be are refused as one, and no more than 100 problems are told', async () => {
  const fields = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, -1]))
  const definition = definitionOf('clickstream')
  expect(await problemsOf({ ...definition, pii_fields: fields(1_001) })).toEqual([
    'pii_fields: must name no more than 1000 fields',
  ])
  expect(await problemsOf({ ...definition, pii_fields: fields(1_000) })).toHaveLength(100)
})

test('a definition nested without end is refused, not followed', async () => {
  const deep = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`)
  const definition = definitionWith({})
  const schema = { schema_type: 'avro', schema_registry_ref: 'catalog-a/1', definition: deep }
  expect(await problemsOf({ ...definition, schema })).not.toEqual([])
  const fields = `{"type":"array","items":`.repeat(5_000)
  expect(await prepareContract(definition, `${fields}"int"${'}'.repeat(5_000)}`)).toEqual({
    problems: ['schema.definition: is nested deeper than 256 levels'],
  })
})
