// Encoded events can be decoded as in ingest, and events that don't fit the schema are refused.
import { expect, test } from '@jest/globals'
import avro from 'avsc'
import { compiledExample, exampleContract, exampleEvent } from '@weir/testkit'
import { encodingOf } from '../../src/sending/encode.ts'

const clickstream = async () => ({
  id: 'clickstream',
  schema: (await exampleContract('clickstream'))['schema'],
})

test('an event is what ingest reads, and what the service fills in may be left out', async () => {
  const compiled = await compiledExample('clickstream')
  const whole = await exampleEvent('clickstream')
  const encoding = encodingOf(await clickstream())
  const bytes = encoding.encode({ ...whole, svcMeta: { consentLevels: [0, 1, 2] } })
  expect(compiled.toPlain(compiled.decode(bytes))).toEqual(whole)
})

test('members with a default may be left out, and unions are plain values', async () => {
  const compiled = await compiledExample('demo_v1')
  const contract = { id: 'demo_v1', schema: (await exampleContract('demo_v1'))['schema'] }
  const bytes = encodingOf(contract).encode({
    svcMeta: { consentLevels: [] },
    consistent_value: 'somebody',
    unique_identifier: 'unique',
  })
  expect(compiled.toPlain(compiled.decode(bytes))).toMatchObject({
    consistent_value: 'somebody',
    unique_identifier: 'unique',
    some_sensitive_value: null,
  })
})

test.each([
  [{ conversion: 'secret' }, "Field 'conversion' is not an int"],
  [{ conversion: 2 ** 31 }, "Field 'conversion' is not an int"],
  [{ url: undefined }, "Field 'url' is missing"],
  [{ url: null }, "Field 'url' is not a string"],
  [{ abTests: 'secret' }, "Field 'abTests' is not a list"],
  [{ abTests: ['a', 7] }, "Field 'abTests/1' is not a string"],
  [{ customer: ['secret'] }, "Field 'customer' is not an object"],
  [{ customer: 'secret' }, "Field 'customer' is not an object"],
  [{ customer: { id: 'x', name: 'secret' } }, "Field 'customer/name' is not in the schema"],
  [{ more: 'secret' }, "Field 'more' is not in the schema"],
  [{ 'secret@example.com': 1 }, 'The event has a field that is not in the schema'],
  [{ svcMeta: { consentLevels: ['1'] } }, "Field 'svcMeta/consentLevels/0' is not an int"],
  [{ svcMeta: undefined }, "Field 'svcMeta' is missing"],
  [{ customer: { id: 'half \ud800' } }, "Field 'customer/id' is not a string of well-formed"],
  [
    { abTests: ['', `${'x'.repeat(100)}\udc00`] },
    "Field 'abTests/1' is not a string of well-formed",
  ],
])('%j is refused with the name of the field, without its value', async (change, message) => {
  const encoding = encodingOf(await clickstream())
  const event = { ...(await exampleEvent('clickstream')), ...change }
  const refused = { name: 'RejectedError', code: 'invalid_event' }
  expect(() => encoding.encode(event)).toThrow(expect.objectContaining(refused))
  expect(() => encoding.encode(event)).toThrow(message)
  expect(() => encoding.encode(event)).not.toThrow('secret')
})

test('the replacement character may stand in a text by right', async () => {
  const encoding = encodingOf(await clickstream())
  const event = await exampleEvent('clickstream')
  expect(encoding.encode({ ...event, referrer: '\ufffd' }).includes('\ufffd')).toBe(true)
  expect(encoding.encode({ ...event, referrer: '한국' }).includes('한국')).toBe(true)
})

test('branches of a union that look alike have their names', () => {
  const field = { name: 'size', type: ['int', 'double', 'string'] }
  const schema = { type: 'record', name: 'Sized', fields: [field] }
  const encoding = encodingOf({ id: 'sized', schema: { definition: schema } })
  const type = avro.Type.forSchema({ type: 'record', name: 'Sized', fields: [field] } as never, {
    wrapUnions: true,
  })
  expect(encoding.encode({ size: { double: 2 } })).toEqual(type.toBuffer({ size: { double: 2 } }))
  expect(() => encoding.encode({ size: 2 })).toThrow(
    "Field 'size' is not one of int, double, string",
  )
})

test.each([
  [{ map: { secret: 'x' } }, "Field 'map/*' is not an int"],
  [{ map: { secret: '\ud800' } }, "Field 'map/*' is not an int"],
  [{ either: { secret: { more: 1 } } }, "Field 'either/*/more' is not in the schema"],
  [{ either: [{ name: 7 }] }, "Field 'either/0/name' is not a string"],
  [
    { either: { secret: { name: '\ud800' } } },
    "Field 'either/*/name' is not a string of well-formed",
  ],
  [
    { either: { 'secret \ud800': { name: 'x' } } },
    "Field 'either' has a key that is not well-formed",
  ],
  [{ named: { double: 'secret' } }, "Field 'named/double' is not a double"],
])('%j: the key of a map is a value, and is not shown', (change, message) => {
  const item = { type: 'record', name: 'Item', fields: [{ name: 'name', type: 'string' }] }
  const either = [
    { type: 'map', values: item },
    { type: 'array', items: 'Item' },
  ]
  const fields = [
    { name: 'map', type: { type: 'map', values: 'int' } },
    { name: 'either', type: either },
    { name: 'named', type: ['int', 'double'] },
  ]
  const encoding = encodingOf({
    id: 'maps',
    schema: { definition: { type: 'record', name: 'Maps', fields } },
  })
  const event = { map: {}, either: [], named: { int: 1 } }
  expect(encoding.encode(event)).toBeInstanceOf(Buffer)
  expect(() => encoding.encode({ ...event, ...change })).toThrow(message)
  expect(() => encoding.encode({ ...event, ...change })).not.toThrow('secret')
})

test.each([
  [{ day: '2026-01-31' }, "Field 'day' is not an int (date: days since 1970-01-01)"],
  [
    { at: '2026-01-31T10:00:00Z' },
    "Field 'at' is not one of null, long (timestamp-millis: milliseconds since 1970-01-01 in UTC)",
  ],
  [{ plain: 'x' }, /is not an int$/],
])('%j: a text for a date or a time is refused with what its number means', (change, message) => {
  const fields = [
    { name: 'day', type: { type: 'int', logicalType: 'date' } },
    { name: 'at', type: ['null', { type: 'long', logicalType: 'timestamp-millis' }] },
    { name: 'plain', type: { type: 'int', logicalType: 'another' } },
  ]
  const encoding = encodingOf({
    id: 'times',
    schema: { definition: { type: 'record', name: 'Times', fields } },
  })
  const event = { day: 20_000, at: 1_700_000_000_000, plain: 1 }
  expect(encoding.encode(event)).toEqual(
    avro.Type.forSchema({ type: 'record', name: 'Times', fields } as never).toBuffer(event),
  )
  expect(() => encoding.encode({ ...event, ...change })).toThrow(message)
})

test('many events are one body, each with its length before it, or one a line', async () => {
  const encoding = encodingOf(await clickstream())
  const events = [Buffer.from('ab'), Buffer.from(''), Buffer.from('c')]
  expect(encoding.join(events).toString('latin1')).toBe(
    '\x00\x00\x00\x02ab\x00\x00\x00\x00\x00\x00\x00\x01c',
  )
  const json = encodingOf('clickstream')
  expect(json.join([{ a: 1 }, { b: '\n' }].map(json.encode)).toString()).toBe(
    '{"a":1}\n{"b":"\\n"}\n',
  )
})

test.each([
  ['no schema', undefined, 'the contract x has no Avro schema'],
  ['a text that is no JSON', '{', 'the contract x has no Avro schema'],
  ['no Avro', { type: 'recrod', name: 'X' }, "the schema of the contract x isn't Avro"],
])('a contract with %s is refused when the producer is made', (_what, definition, message) => {
  expect(() => encodingOf({ id: 'x', schema: { definition } })).toThrow(message)
})

test('a BigInt is refused with the name of its field', async () => {
  const encoding = encodingOf(await clickstream())
  const event = { ...(await exampleEvent('clickstream')), conversion: 1n }
  expect(() => encoding.encode(event)).toThrow(
    "Field 'conversion' is a BigInt, which Avro does not have; give a number",
  )
})
