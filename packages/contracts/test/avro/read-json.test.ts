import { describe, expect, test } from '@jest/globals'
import { baseEvent, bodyOf, bodyWith, eventOf, exampleContract } from '../examples.ts'
import { refusalOfText, refusal, contractWith, list, readField, refuseField } from './read-field.ts'

describe('a body that is no JSON event', () => {
  test.each([
    ['', 'The body is not JSON'],
    ['{"svcMeta":', 'The body is not JSON'],
    ['{}\n{}', 'The body has more after its first JSON value'],
    ['[]', 'The body is not an object'],
    ['null', 'The body is not an object'],
    ['"text"', 'The body is not an object'],
    ['\ufeff{}', 'The body is not JSON'],
    ['[['.repeat(100_000), 'The body is nested deeper than 256 levels'],
    [`${'['.repeat(256)}${']'.repeat(256)}`, 'The body is not an object'],
  ])('%#', async (text, sentence) => {
    expect(refusalOfText(await exampleContract('demo_v1'), text)).toBe(sentence)
  })

  test('octets that are not UTF-8 are refused, even inside of text', async () => {
    const body = Buffer.concat([bodyOf('demo_v1').subarray(0, -2), Buffer.from([0xff, 0x22, 0x7d])])
    expect(refusalOfText(await exampleContract('demo_v1'), body)).toBe(
      'The body is not valid UTF-8',
    )
  })
})

describe('fields', () => {
  test('missing, of another type, or unknown: the sentence names them, and never the value', async () => {
    const contract = await exampleContract('clickstream')
    const sent = eventOf('clickstream')
    const { url: _, ...withoutUrl } = sent

    expect(refusal(contract, withoutUrl)).toBe("Field 'url' is missing")
    expect(refusal(contract, { ...sent, url: 'secret\ud800' })).toBe(
      "Field 'url' is not a string of well-formed Unicode",
    )
    expect(refusal(contract, { ...sent, conversion: 1.5 })).toBe("Field 'conversion' is not an int")
    expect(refusal(contract, { ...sent, customer: {} })).toBe("Field 'customer/id' is missing")
    expect(refusal(contract, { ...sent, customer: 'secret' })).toBe(
      "Field 'customer' is not an object",
    )
    expect(refusal(contract, { ...sent, abTests: ['a', 5] })).toBe(
      "Field 'abTests/1' is not a string of well-formed Unicode",
    )
    expect(refusal(contract, { ...sent, abTests: {} })).toBe("Field 'abTests' is not a list")
    expect(refusal(contract, { ...sent, extra: 'secret' })).toBe(
      "Field 'extra' is not in the schema",
    )
    expect(refusal(contract, { ...sent, customer: { id: 'a', extra: 1 } })).toBe(
      "Field 'customer/extra' is not in the schema",
    )
    expect(refusal(contract, { ...sent, 'jane@example.com': 1 })).toBe(
      'The body has a field that is not in the schema',
    )
  })

  test('names of the prototype are neither there nor allowed', async () => {
    const contract = await contractWith({ name: 'constructor', type: 'string' })
    expect(refusal(contract, baseEvent)).toBe("Field 'constructor' is missing")
    expect(contract.readJson(bodyWith({ ...baseEvent, constructor: 'c' }))['constructor']).toBe('c')
    const other = await contractWith()
    expect(
      refusalOfText(
        other,
        '{"svcMeta":{"schemaId":null,"consentLevels":[]},"key":"k","__proto__":{}}',
      ),
    ).toBe("Field '__proto__' is not in the schema")
    expect(refusal(other, { ...baseEvent, toString: 'a' })).toBe(
      "Field 'toString' is not in the schema",
    )
  })

  test('a field twice is refused, at any depth, strictly or leniently read', async () => {
    const contract = await exampleContract('demo_v1')
    const meta = '"svcMeta":{"consentLevels":[],"consentLevels":[0,1,2]}'
    const double = [
      `{${meta},"consistent_value":"k"}`,
      '{"svcMeta":{"consentLevels":[]},"consistent_value":"k","consistent_value":"l"}',
      '{"svcMeta":{"consentLevels":[]},"consistent_value":"k","unique_identifier":{"string":"a","string":"b"}}',
    ]
    for (const text of double) {
      expect(refusalOfText(contract, text)).toBe('The body names a field twice')
    }
    const map = await contractWith({ name: 'f', type: { type: 'map', values: 'int' } })
    expect(
      refusalOfText(
        map,
        '{"svcMeta":{"schemaId":null,"consentLevels":[]},"key":"k","f":{"a":1,"\\u0061":2}}',
      ),
    ).toBe('The body names a field twice')
    const colons = contract.readJson(
      Buffer.from('{"svcMeta":{"consentLevels":[]},"consistent_value":"a:\\":b\\\\"}'),
    )
    expect(colons['consistent_value']).toBe('a:":b\\')
  })
})

const date = { type: 'int', logicalType: 'date' }
const millis = { type: 'long', logicalType: 'timestamp-millis' }
const sinceEpoch = 'milliseconds since 1970-01-01 in UTC'

describe('values', () => {
  test.each([
    ['int', 2_147_483_648, 'is not an int'],
    ['int', '1', 'is not an int'],
    ['int', true, 'is not an int'],
    ['long', 9_007_199_254_740_992, 'is not a long within ±(2^53 - 1)'],
    ['long', -9_007_199_254_740_992, 'is not a long within ±(2^53 - 1)'],
    ['long', 0.5, 'is not a long within ±(2^53 - 1)'],
    ['float', 1e39, 'is not a float'],
    ['float', 'NaN', 'is not a float'],
    ['double', null, 'is null, not a double'],
    ['boolean', 0, 'is not a boolean'],
    [date, '2026-01-31', 'is not an int (date: days since 1970-01-01)'],
    [['null', date], '2026-01-31', 'is not one of null, int (date: days since 1970-01-01)'],
    [millis, '2026-01-31', `is not a long within ±(2^53 - 1) (timestamp-millis: ${sinceEpoch})`],
    [['null', millis], '2026-01-31', `is not one of null, long (timestamp-millis: ${sinceEpoch})`],
    [
      { type: 'int', logicalType: 'time-millis' },
      '10:00',
      'is not an int (time-millis: milliseconds since midnight)',
    ],
    [
      { type: 'bytes', logicalType: 'decimal' },
      12.5,
      'U+00FF each (decimal: the unscaled number, big-endian)',
    ],
    [{ type: 'int', logicalType: 'another' }, '1', /is not an int$/],
    [{ type: 'string', logicalType: 'date' }, 1, /is not a string of well-formed Unicode$/],
    ['string', null, 'is null, not a string'],
    ['string', 5, 'is not a string of well-formed Unicode'],
    ['string', 'a\ud800b', 'is not a string of well-formed Unicode'],
    ['null', 0, 'is not null'],
    ['bytes', '\u0100', 'is not bytes, one character of U+0000 to U+00FF each'],
    [
      { type: 'fixed', name: 'F', size: 2 },
      'a',
      'is not bytes of the fixed size, one character of U+0000 to U+00FF each',
    ],
    [{ type: 'enum', name: 'E', symbols: ['A'] }, 'constructor', 'is not one of A'],
    [['null', { type: 'enum', name: 'E', symbols: ['A', 'B'] }], 7, 'is not one of null, E (A, B)'],
    [{ type: 'map', values: 'int' }, [], 'is not an object'],
    [{ type: 'map', values: 'int' }, { '\udc00': 1 }, 'has a key that is not well-formed Unicode'],
  ])('%j: %j is refused', async (type, sent, sentence) => {
    expect(await refuseField(type, sent)).toMatch(/^Field 'f(\/\*)?' /)
    expect(await refuseField(type, sent)).toMatch(sentence)
  })

  test('a number too large for JavaScript is refused, not read as Infinity', async () => {
    const contract = await contractWith({ name: 'f', type: 'double' })
    const text = bodyWith({ ...baseEvent, f: 1 })
      .toString()
      .replace('"f":1', '"f":1e999')
    expect(refusalOfText(contract, text)).toBe("Field 'f' is not a double")
  })

  test.each([
    ['int', -2_147_483_648],
    ['long', 9_007_199_254_740_991],
    ['float', 0.5],
    ['double', 1e300],
    ['boolean', false],
    ['string', 'a\u0000\ud83d\ude00'],
    [{ type: 'enum', name: 'E', symbols: ['A'] }, 'A'],
    [list('int'), [1, 2]],
  ])('%j: %j is read as it is', async (type, sent) => {
    expect(await readField(type, sent)).toEqual(sent)
  })

  test('bytes are characters of U+0000 to U+00FF', async () => {
    expect(await readField('bytes', '\u0000\u00ff')).toEqual(Buffer.from([0, 255]))
  })
})

describe('short bodies that would cost much', () => {
  test('unions that could be read both ways at every level are refused, not tried without end', async () => {
    const node = (name: string) => ({
      type: 'record',
      name,
      fields: [{ name: 'n', type: ['null', 'A', 'B'] }],
    })
    const contract = await contractWith({
      name: 'a',
      type: [
        'null',
        { type: 'record', name: 'A', fields: [{ name: 'n', type: ['null', 'A', node('B')] }] },
      ],
    })
    let nested: unknown = { n: 5 }
    for (let level = 0; level < 60; level += 1) nested = { n: nested }
    expect(refusal(contract, { ...baseEvent, a: nested })).toMatch(/union within a union/)
  })

  test('omitted fields bring in a bounded number of values', async () => {
    const fields = Array.from({ length: 50 }, (_, index) => ({
      name: `f${index}`,
      type: ['null', 'int'],
      default: null,
    }))
    const contract = await contractWith({
      name: 'f',
      type: list({ type: 'record', name: 'I', fields }),
    })
    const sent = (count: number) => ({ ...baseEvent, f: Array.from({ length: count }, () => ({})) })
    expect(contract.readJson(bodyWith(sent(2_097)))['f']).toHaveLength(2_097)
    expect(refusal(contract, sent(2_098))).toBe(
      "Field 'f/2097/f7' is one of too many omitted fields (their defaults have more than 1048576 octets)",
    )
  })

  test('omitted fields bring in a bounded length of text', async () => {
    const fields = [{ name: 's', type: 'string', default: 'x'.repeat(100_000) }]
    const contract = await contractWith({
      name: 'f',
      type: list({ type: 'record', name: 'I', fields }),
    })
    const sent = (count: number) => ({ ...baseEvent, f: Array.from({ length: count }, () => ({})) })
    expect(contract.readJson(bodyWith(sent(10)))['f']).toHaveLength(10)
    expect(refusal(contract, sent(11))).toMatch(
      /^Field 'f\/10\/s' is one of too many omitted fields/,
    )
  })

  test('records of more than eight branches that an object could be are not all tried', async () => {
    const branch = (index: number) => ({
      type: 'record',
      name: `B${index}`,
      fields: [
        { name: 'all', type: list('int') },
        { name: 'own', type: { type: 'enum', name: `E${index}`, symbols: [`S${index}`] } },
      ],
    })
    const branches = (count: number) => Array.from({ length: count }, (_, index) => branch(index))
    const value = { all: [1], own: 'S3' }
    const read = async (count: number) => {
      const contract = await contractWith({ name: 'f', type: branches(count) })
      return contract.readJson(bodyWith({ ...baseEvent, f: value }))['f']
    }
    await expect(read(8)).resolves.toEqual({ branch: 3, value })
    await expect(read(9)).rejects.toThrow(/fits more than one branch of its union/)
  })

  test('nesting ends at 64', async () => {
    const contract = await contractWith({
      name: 'f',
      type: {
        type: 'record',
        name: 'N',
        fields: [{ name: 'n', type: ['null', 'N'], default: null }],
      },
    })
    const nested = (levels: number): unknown =>
      levels === 1 ? {} : { n: { N: nested(levels - 1) } }
    expect(() => contract.readJson(bodyWith({ ...baseEvent, f: nested(63) }))).not.toThrow()
    expect(refusal(contract, { ...baseEvent, f: nested(64) })).toMatch(/is nested deeper than 64$/)
  })
})
