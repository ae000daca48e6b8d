// The form of a test event: the fields of a contract, the event from them, and the field that a refusal is about.
import { expect, test } from '@jest/globals'
import { eventOf, fieldIn, fieldsOf, samplesOf } from '../web/contracts/event-form.ts'
import { schemaFieldsOf } from '../web/contracts/schema-fields.ts'
import { contract } from './support.ts'

const clicks = contract()
const fields = fieldsOf(clicks)
const values = samplesOf(clicks, fields)

test('every leaf of the schema but the envelope is a field of its kind', () => {
  expect(fields.map(({ path, kind, isNullable }) => [path, kind, isNullable])).toEqual([
    ['person/id', 'text', false],
    ['person/name', 'text', true],
    ['page', 'text', false],
    ['count', 'number', false],
    ['isNew', 'boolean', false],
    ['colour', 'choice', false],
    ['tags', 'list', false],
    ['more', 'json', false],
  ])
})

test('samples pass the validations where a simple one does', () => {
  expect(values).toMatchObject({
    'person/id': 'id-1',
    page: 'https://shop.example.com/products/1234',
  })
})

test('a field whose pattern no sample fits is empty', () => {
  const phones = contract({ validations: [{ field: 'page', pattern: String.raw`^\+31\d{9}$` }] })
  expect(samplesOf(phones, fieldsOf(phones))).toMatchObject({ page: '', 'person/id': 'id-1' })
})

test('the event has the consent that was asked for, and an envelope for the service to fill in', () => {
  const asked = {
    ...values,
    'person/name': '',
    tags: 'a, b',
    more: '{"x":1}',
    count: '7',
    isNew: 'true',
  }
  expect(eventOf(clicks, { fields, values: asked, consent: '0, 2' })).toEqual({
    svcMeta: { schemaId: '', timestamp: 0, keyLink: null, consentLevels: [0, 2] },
    person: { id: 'id-1', name: null },
    page: 'https://shop.example.com/products/1234',
    count: 7,
    isNew: true,
    colour: 'red',
    tags: ['a', 'b'],
    more: { x: 1 },
  })
})

test('what does not fit its field goes as it is, for the service to refuse', () => {
  const asked = { ...values, count: 'many', more: 'no json' }
  const event = eventOf(clicks, { fields, values: asked, consent: 'all' })
  expect(event).toMatchObject({
    count: 'many',
    more: 'no json',
    svcMeta: { consentLevels: ['all'] },
  })
})

test.each([
  ["regex clicks/page 'x' doesnt match '^https?://'", 'page'],
  [
    "Field: 'person/id' in event with schema: 'a/b/1' with value: 'page' doesn't match regex: 'x'",
    'person/id',
  ],
  ['person/name must be a string', 'person/name'],
  ['The body is not JSON', undefined],
])('the refusal «%s» belongs to %s', (sentence, path) => {
  expect(fieldIn(sentence, clicks, fields)).toBe(path)
})

test('a schema is shown leaf by leaf, in words', () => {
  const shown = schemaFieldsOf(clicks.schema).map(({ path, type }) => `${path}: ${type}`)
  expect(shown).toContain('person/name: string, may be null')
  expect(shown).toContain('tags: list of string')
  expect(shown).toContain('colour: red or blue')
  expect(shown).toContain('svcMeta/timestamp: long')
})
