// Encoded events: decoded as ingest does, and refused if they don't fit.
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
  [{ conversion: 'secret' }, 'conversion must be int'],
  [{ conversion: 2 ** 31 }, 'conversion must be int'],
  [{ url: undefined }, 'url must be string'],
  [{ abTests: ['a', 7] }, 'abTests/1 must be string'],
  [
    { customer: { id: 'x', name: 'secret' } },
    /^customer must be a record .* without other members/,
  ],
  [{ secret: 'secret' }, /^The event must be a record .* without other members/],
  [{ svcMeta: { consentLevels: ['1'] } }, 'svcMeta/consentLevels/0 must be int'],
  [{ svcMeta: undefined }, /^svcMeta must be/],
  [{ customer: { id: 'half \ud800' } }, 'customer/id has half of a surrogate pair'],
  [{ abTests: ['', `${'x'.repeat(100)}\udc00`] }, 'abTests/1 has half of a surrogate pair'],
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
  const encoding = encodingOf({ id: 'sized', schema })
  const type = avro.Type.forSchema({ type: 'record', name: 'Sized', fields: [field] } as never, {
    wrapUnions: true,
  })
  expect(encoding.encode({ size: { double: 2 } })).toEqual(type.toBuffer({ size: { double: 2 } }))
  expect(() => encoding.encode({ size: 2 })).toThrow('size must be int or double or string')
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
])('a contract with %s is refused when the producer is made', (_what, schema, message) => {
  expect(() => encodingOf({ id: 'x', schema })).toThrow(message)
})
