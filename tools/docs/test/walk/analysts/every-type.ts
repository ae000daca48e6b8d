// Two versions of a contract, with every type that an event's schema may have, and an event of each version.
import { expect } from '@jest/globals'

const envelope = {
  type: 'record',
  name: 'Envelope',
  fields: [
    { name: 'schemaId', type: 'string' },
    { name: 'nonce', type: 'int' },
    { name: 'timestamp', type: { type: 'long', logicalType: 'date' } },
    { name: 'keyLink', type: ['null', 'int'], default: null },
    { name: 'billingId', type: ['null', 'string'], default: null },
    { name: 'consentLevels', type: { type: 'array', items: 'int' } },
  ],
}

const item = {
  type: 'record',
  name: 'Item',
  fields: [
    { name: 'name', type: 'string' },
    { name: 'price', type: ['null', 'double'], default: null },
  ],
}

const common = [
  { name: 'svcMeta', type: envelope },
  { name: 'person', type: 'string' },
  { name: 'flag', type: 'boolean' },
  { name: 'large', type: 'long' },
  { name: 'single', type: 'float' },
  { name: 'octets', type: 'bytes' },
  { name: 'four', type: { type: 'fixed', name: 'Four', size: 4 } },
  { name: 'colour', type: { type: 'enum', name: 'Colour', symbols: ['RED', 'GREEN'] } },
  { name: 'maybe', type: ['null', 'string'], default: null },
  { name: 'number', type: ['null', 'int', 'long'], default: null },
  { name: 'either', type: ['null', 'string', 'boolean'], default: null },
  { name: 'counts', type: { type: 'map', values: 'long' } },
  { name: 'items', type: { type: 'array', items: item } },
  { name: 'day', type: { type: 'int', logicalType: 'date' } },
  { name: 'at', type: { type: 'long', logicalType: 'timestamp-millis' } },
  { name: 'exactly', type: { type: 'long', logicalType: 'timestamp-micros' } },
]

const definition = (fields: readonly object[]): object => ({
  type: 'record',
  name: 'EveryType',
  namespace: 'tests.every_type',
  fields,
})

const first = [...common, { name: 'grows', type: 'int' }, { name: 'gone', type: 'string' }]
const second = [
  ...common,
  { name: 'grows', type: 'long' },
  {
    name: 'added',
    type: { type: 'record', name: 'Added', fields: [{ name: 'text', type: 'string' }] },
  },
]

export function everyTypeContract(version: 1 | 2, subject: string): Record<string, unknown> {
  return {
    id: `tests/every_type/${version}.0.0`,
    schema: {
      schema_type: 'avro',
      schema_registry_ref: `${subject}-every_type_${version}/latest`,
      definition: definition(version === 1 ? first : second),
    },
    validations: [],
    key_field: 'person',
    pii_fields: { person: 0 },
  }
}

export function everyTypeEvent(version: 1 | 2): Record<string, unknown> {
  const event = {
    svcMeta: {
      schemaId: '',
      nonce: 0,
      timestamp: 0,
      keyLink: null,
      billingId: null,
      consentLevels: [0],
    },
    person: `person-${version}`,
    flag: true,
    large: Number.MAX_SAFE_INTEGER,
    single: 1.5,
    octets: '\u0000\u00ff',
    four: 'four',
    colour: 'GREEN',
    maybe: null,
    number: { long: 5_000_000_000 },
    either: version === 1 ? { string: 'yes' } : { boolean: true },
    counts: { a: 1, b: 2 },
    items: [
      { name: 'one', price: { double: 1.25 } },
      { name: 'two', price: null },
    ],
    day: 20_000,
    at: 1_700_000_000_123,
    exactly: 1_700_000_000_123_456,
  }
  return version === 1
    ? { ...event, grows: 7, gone: 'here' }
    : {
        ...event,
        maybe: { string: 'now' },
        items: [],
        grows: 8_000_000_000,
        added: { text: 'new' },
      }
}

export const typesInDuckDb = {
  svcMeta:
    'STRUCT(schemaId VARCHAR, nonce INTEGER, "timestamp" TIMESTAMP WITH TIME ZONE, keyLink INTEGER, billingId VARCHAR, consentLevels INTEGER[])',
  person: 'VARCHAR',
  flag: 'BOOLEAN',
  large: 'BIGINT',
  single: 'FLOAT',
  octets: 'BLOB',
  four: 'BLOB',
  colour: 'VARCHAR',
  maybe: 'VARCHAR',
  number: 'BIGINT',
  either: 'JSON',
  counts: 'MAP(VARCHAR, BIGINT)',
  items: 'STRUCT("name" VARCHAR, price DOUBLE)[]',
  day: 'DATE',
  at: 'TIMESTAMP WITH TIME ZONE',
  exactly: 'TIMESTAMP WITH TIME ZONE',
  grows: 'BIGINT',
  gone: 'VARCHAR',
  added: 'STRUCT("text" VARCHAR)',
}

export const valuesOfTheFirst = {
  person: 'person-1',
  flag: true,
  large: Number.MAX_SAFE_INTEGER,
  single: 1.5,
  octets: '00ff',
  four: '666f7572',
  colour: 'GREEN',
  maybe: null,
  number: 5_000_000_000,
  either: '"yes"',
  counts: { a: 1, b: 2 },
  items: [
    { name: 'one', price: 1.25 },
    { name: 'two', price: null },
  ],
  day: '2024-10-04',
  exactly: expect.stringContaining('.123456'),
  grows: 7,
  gone: 'here',
  added: null,
}

export const valuesOfTheLast = {
  person: 'person-2',
  maybe: 'now',
  either: 'true',
  items: [],
  grows: 8_000_000_000,
  gone: null,
  added: { text: 'new' },
}
