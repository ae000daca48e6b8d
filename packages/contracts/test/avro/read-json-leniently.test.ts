// What a lenient reading accepts: omitted fields, and unions without the wrapping that Avro JSON requires. A lenient
// reading never changes the meaning of a strictly valid body.
import { describe, expect, test } from '@jest/globals'
import { baseEvent, bodyWith, exampleContract } from '../examples.ts'
import { contractWith, list, readField, refuseField } from './read-field.ts'

describe('leniently', () => {
  test('omitted fields get their default, each event its own', async () => {
    const inner = { type: 'record', name: 'I', fields: [{ name: 'a', type: 'int', default: 7 }] }
    const contract = await contractWith(
      { name: 'text', type: ['string', 'null'], default: 'd' },
      { name: 'list', type: list('string'), default: ['x'] },
      { name: 'inner', type: inner, default: {} },
    )
    const first = contract.readJson(bodyWith(baseEvent))
    expect(first).toMatchObject({ text: 'd', list: ['x'], inner: { a: 7 } })
    expect(contract.readJson(bodyWith(baseEvent))['list']).not.toBe(first['list'])
    expect(contract.readJson(bodyWith({ ...baseEvent, inner: {} }))['inner']).toEqual({ a: 7 })
  })

  test('a plain value is taken for a union where exactly one branch fits', async () => {
    const union = ['null', 'int', 'string', list('string')]
    expect(await readField(['null', 'string'], 'a')).toBe('a')
    expect(await readField(union, 5)).toEqual({ branch: 1, value: 5 })
    expect(await readField(union, 'a')).toEqual({ branch: 2, value: 'a' })
    expect(await readField(union, ['a'])).toEqual({ branch: 3, value: ['a'] })
    expect(await readField(['int', 'double'], 0.5)).toEqual({ branch: 1, value: 0.5 })
    expect(await refuseField(union, true)).toBe("Field 'f' is not one of null, int, string, array")
    expect(await refuseField(union, ['a', 1])).toBe(
      "Field 'f/1' is not a string of well-formed Unicode",
    )
    expect(await refuseField(['int', 'double'], 5)).toBe(
      'Field \'f\' fits more than one branch of its union: say it as {"<branch>": <value>}, with the branch one of int, double',
    )
    expect(await refuseField('string', null)).toBe(
      "Field 'f' is null, not a string of well-formed Unicode",
    )
    expect(await refuseField(['int', 'string'], null)).toBe("Field 'f' is not one of int, string")
  })

  test('records of a union are told apart by their fields', async () => {
    const named = (name: string, field: string) => ({
      type: 'record',
      name,
      fields: [{ name: field, type: 'int' }],
    })
    const union = ['null', named('A', 'a'), named('B', 'b'), { type: 'map', values: 'string' }]
    expect(await readField(union, { b: 1 })).toEqual({ branch: 2, value: { b: 1 } })
    expect(await readField(union, { B: { b: 1 } })).toEqual({ branch: 2, value: { b: 1 } })
    expect(await readField(union, { a: 'x' })).toMatchObject({ branch: 3 })
    expect(await refuseField(union, { c: 1 })).toMatch(/^Field 'f/)
    const inShop = { ...named('C', 'c'), namespace: 'shop' }
    expect(await readField(['null', inShop], { 'shop.C': { c: 1 } })).toEqual({ c: 1 })
    const wrong = await Promise.all(
      [{ C: { c: 1 } }, { 'desk.C': { c: 1 } }, { D: { c: 1 } }, { d: 1 }].map((value) =>
        refuseField(['null', inShop, named('B', 'b')], value),
      ),
    )
    const another = 'names a branch of its union without its namespace, or with another one'
    const names = 'say it as {"<branch>": <value>}, with the branch one of null, shop.C, B'
    expect(wrong).toEqual([
      `Field 'f' ${another}: say it as {"shop.C": <value>}`,
      `Field 'f' ${another}: say it as {"shop.C": <value>}`,
      `Field 'f' names no branch of its union: ${names}`,
      `Field 'f' fits no branch of its union: ${names}`,
    ])
    // With one branch, its fields make the error precise.
    expect(await refuseField(['null', inShop], { c: 'x' })).toBe("Field 'f/c' is not an int")
    expect(await refuseField(['null', inShop], { D: { c: 1 } })).toContain('names no branch')
  })

  test('records in unions may be named at every level, with fields omitted elsewhere', async () => {
    const inner = { type: 'record', name: 'In', fields: [{ name: 'a', type: ['null', 'string'] }] }
    const outer = { type: 'record', name: 'Out', fields: [{ name: 'in', type: ['null', inner] }] }
    const contract = await contractWith(
      { name: 'f', type: ['null', outer] },
      { name: 'g', type: ['null', 'string'], default: null },
    )
    const read = (f: unknown): unknown => contract.readJson(bodyWith({ ...baseEvent, f }))['f']
    const expected = { in: { a: 'x' } }
    expect(read({ Out: { in: { In: { a: { string: 'x' } } } } })).toEqual(expected)
    expect(read({ in: { a: 'x' } })).toEqual(expected)
    expect(read({ Out: { in: { a: { string: 'x' } } } })).toEqual(expected)
  })

  test('strict and lenient mix in one body', async () => {
    const contract = await exampleContract('demo_v1')
    const event = contract.readJson(
      bodyWith({
        svcMeta: { consentLevels: [1], nonce: 5, billingId: { string: 'b' } },
        consistent_value: 'k',
        unique_identifier: 'u',
        not_sensitive_value: { string: 'n' },
      }),
    )
    expect(contract.toPlain(event)).toEqual({
      svcMeta: {
        schemaId: null,
        nonce: 5,
        timestamp: null,
        keyLink: null,
        billingId: 'b',
        consentLevels: [1],
      },
      unique_identifier: 'u',
      consistent_value: 'k',
      some_sensitive_value: null,
      not_sensitive_value: 'n',
    })
  })
})

describe('what is valid strictly never means anything else', () => {
  test('an object with one member that a branch has the name of is that branch', async () => {
    const maps = { type: 'map', values: { type: 'map', values: 'int' } }
    const strict = await readField(['null', maps], { map: { map: { a: 1 } } })
    expect(JSON.stringify(strict)).toBe('{"map":{"a":1}}')
    // with one level fewer the strict reading fails, so this is the plain map
    const lenient = await readField(['null', maps], { map: { a: 1 } })
    expect(JSON.stringify(lenient)).toBe('{"map":{"a":1}}')
  })

  test('a record with a field named like itself', async () => {
    const self = {
      type: 'record',
      name: 'S',
      fields: [{ name: 'S', type: ['null', 'S', 'int'], default: null }],
    }
    expect(await readField(['null', self], { S: { S: null } })).toEqual({
      S: { branch: 0, value: null },
    })
    expect(await readField(['null', self], { S: { S: { int: 1 } } })).toEqual({
      S: { branch: 2, value: 1 },
    })
  })
})
