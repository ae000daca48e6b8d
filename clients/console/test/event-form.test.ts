// The form of a test event: the fields of a contract, the event from the values, and the field that a refusal is about.
import { expect, test } from '@jest/globals'
import { eventOf, fieldIn, fieldsOf } from '../web/contracts/event-form.ts'
import { samplesOf } from '../web/contracts/samples.ts'
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

const ofFields = (...more: readonly unknown[]) =>
  contract({ schema: { type: 'record', name: 'Order', fields: more } })
const person = {
  type: 'record',
  name: 'Person',
  fields: [
    { name: 'name', type: 'string' },
    { name: 'friends', type: { type: 'array', items: 'Person' } },
    { name: 'parent', type: ['null', 'Person'] },
  ],
}
const item = {
  type: 'record',
  name: 'Item',
  namespace: 'shop',
  fields: [
    { name: 'sku', type: 'string' },
    { name: 'size', type: { type: 'enum', name: 'Size', symbols: ['S', 'M'] } },
    { name: 'buyer', type: ['null', person] },
  ],
}
const orders = ofFields(
  { name: 'items', type: { type: 'array', items: item } },
  { name: 'gift', type: ['null', 'shop.Item'] },
  { name: 'size', type: 'shop.Size' },
  { name: 'codes', type: ['null', { type: 'map', values: 'long' }] },
)

test('a list of records and a nullable record have an example, also if a record contains itself', () => {
  const samples = samplesOf(orders, fieldsOf(orders))
  const one = { sku: 'sku-1', size: 'S', buyer: { name: 'name-1', friends: [], parent: null } }
  expect(JSON.parse(samples['items'] ?? '')).toEqual([one])
  expect(JSON.parse(samples['gift'] ?? '')).toEqual(one)
  expect(samples).toMatchObject({ size: 'S', codes: '{\n  "key": 1\n}' })
})

test('a schema that uses its records very often has a bounded example and a bounded table', () => {
  const levels = Array.from({ length: 30 }, (_, index) => index)
  const types = levels.map((level) => ({
    type: 'record',
    name: `R${level}`,
    fields: ['a', 'b'].map((name) => ({ name, type: level === 0 ? 'int' : `R${level - 1}` })),
  }))
  const wide = ofFields(
    ...types.map((type) => ({ name: type.name, type: { type: 'array', items: type } })),
  )
  expect(samplesOf(wide, fieldsOf(wide))['R29']?.length).toBeLessThan(1_000_000)
  expect(schemaFieldsOf(wide.schema)).toHaveLength(1_000)
})

test('the table of fields shows what is in lists, nullable records and types that are used again', () => {
  const shown = schemaFieldsOf(orders.schema).map(({ path, type }) => `${path}: ${type}`)
  expect(shown).toEqual([
    'items: list of record',
    'items/*/sku: string',
    'items/*/size: S or M',
    'items/*/buyer: record, may be null',
    'items/*/buyer/name: string',
    'items/*/buyer/friends: list of Person',
    'items/*/buyer/parent: Person, may be null',
    'gift: shop.Item, may be null',
    'gift/sku: string',
    'gift/size: S or M',
    'gift/buyer: record, may be null',
    'gift/buyer/name: string',
    'gift/buyer/friends: list of Person',
    'gift/buyer/parent: Person, may be null',
    'size: shop.Size',
    'codes: map of long, may be null',
  ])
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
  ['svcMeta/consentLevels has a level outside 0 to 255', 'svcMeta/consentLevels'],
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
