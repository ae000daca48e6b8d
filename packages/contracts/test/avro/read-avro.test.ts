import { describe, expect, test } from '@jest/globals'
import { hasCode } from '@weir/kit'
import fc from 'fast-check'

import { measured } from '../../../../tools/testkit/src/scale.ts'
import type { Contract } from '../../src/index.ts'
import {
  baseEvent,
  bodyOf,
  bodyWith,
  compile,
  definitionWith,
  exampleContract,
} from '../examples.ts'

const list = (items: unknown) => ({ type: 'array', items })

/** Returns the error sentence. The test fails if the datum can be read. */
function refusal(contract: Contract, datum: Buffer): string {
  try {
    contract.decode(datum)
  } catch (error) {
    if (hasCode(error, 'contracts.undecodable')) return error.message
    throw error
  }
  throw new Error('the datum was read')
}

/** Returns a datum: an envelope without id and consent levels, the key "k", then the given octets. */
const datumWith = (...octets: number[]): Buffer => Buffer.from([0x00, 0x00, 0x02, 0x6b, ...octets])

const contractWith = (type: unknown): Promise<Contract> =>
  compile(definitionWith({ fields: [{ name: 'f', type }] }))

async function readField(type: unknown, ...octets: number[]): Promise<unknown> {
  return (await contractWith(type)).decode(datumWith(...octets))['f']
}
async function refuseField(type: unknown, ...octets: number[]): Promise<string> {
  return refusal(await contractWith(type), datumWith(...octets))
}

describe('one whole datum, nothing less and nothing more', () => {
  test('a datum that ends at any octet before its end is undecodable', async () => {
    const contract = await exampleContract('clickstream')
    const datum = contract.encode(contract.readJson(bodyOf('clickstream')))
    for (let length = 0; length < datum.length; length += 1) {
      expect(refusal(contract, datum.subarray(0, length))).toMatch(/^Field '/)
    }
  })

  test('octets after the event are undecodable', async () => {
    const contract = await exampleContract('demo_v1')
    const datum = contract.encode(contract.readJson(bodyOf('demo_v1')))
    expect(refusal(contract, Buffer.concat([datum, Buffer.from([0])]))).toBe(
      'The body has octets left over after the event',
    )
  })
})

describe('numbers', () => {
  test.each([
    [[0x00], 0],
    [[0x01], -1],
    [[0x80, 0x01], 64],
    [[0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f], 2 ** 53 - 1],
    [[0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f], -(2 ** 53 - 1)],
    [[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00], 0],
  ])('the long %j is %s', async (octets, value) => {
    expect(await readField('long', ...octets)).toBe(value)
  })

  test.each([
    [[0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20]],
    [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f]],
    [[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ])('the long %j is beyond ±2^53', async (octets) => {
    expect(await refuseField('long', ...octets)).toBe("Field 'f' is not a long within ±(2^53 - 1)")
  })

  test('a number of more than 64 bits, or an int of more than 32, is undecodable', async () => {
    const endless = Array.from({ length: 9 }, () => 0xff)
    expect(await refuseField('long', ...endless, 0x02)).toBe(
      "Field 'f' is a number of more than 64 bits",
    )
    expect(await refuseField('long', ...endless, 0xff, 0x00)).toBe(
      "Field 'f' is a number of more than 64 bits",
    )
    expect(await refuseField('int', 0x80, 0x80, 0x80, 0x80, 0x10)).toBe("Field 'f' is not an int")
    expect(await readField('int', 0xff, 0xff, 0xff, 0xff, 0x0f)).toBe(-2_147_483_648)
  })

  test('a boolean is 0 or 1', async () => {
    expect(await readField('boolean', 1)).toBe(true)
    expect(await refuseField('boolean', 2)).toBe("Field 'f' is not a boolean")
  })
})

describe('branches and symbols', () => {
  const kinds = { type: 'enum', name: 'Kind', symbols: ['A', 'B'] }

  test.each([[0x04], [0x01], [0x80, 0x80, 0x80, 0x80, 0x80, 0x10]])(
    'no such branch: %j',
    async (...octets) => {
      expect(await refuseField(['null', 'string'], ...octets)).toBe(
        "Field 'f' has a union branch that the schema lacks",
      )
    },
  )
  test.each([[0x04], [0x01]])('no such symbol: %j', async (...octets) => {
    expect(await refuseField(kinds, ...octets)).toBe("Field 'f' is none of the symbols of the enum")
  })
})

describe('text', () => {
  test.each([
    ['a lone octet', [0x02, 0xff]],
    ['a surrogate', [0x06, 0xed, 0xa0, 0x80]],
    ['an overlong form', [0x04, 0xc0, 0x80]],
    ['a cut character', [0x04, 0xe2, 0x82]],
  ])('that is not UTF-8 is undecodable: %s', async (_, octets) => {
    expect(await refuseField('string', ...octets)).toBe("Field 'f' is not valid UTF-8")
    expect(await refuseField(list('string'), 0x02, ...octets, 0x00)).toBe(
      "Field 'f/0' is not valid UTF-8",
    )
    expect(await refuseField({ type: 'map', values: 'int' }, 0x02, ...octets, 0x00, 0x00)).toBe(
      "Field 'f/*' is not valid UTF-8",
    )
  })

  test('NUL and U+FFFD are characters like others', async () => {
    expect(await readField('string', 0x02, 0x00)).toBe('\u0000')
    expect(await readField('string', 0x06, 0xef, 0xbf, 0xbd)).toBe('\ufffd')
  })

  test('a length below 0 or beyond the end is undecodable', async () => {
    expect(await refuseField('string', 0x01)).toBe("Field 'f' has a negative length")
    expect(await refuseField('string', 0x04, 0x61)).toBe("Field 'f' ends too early")
    expect(await refuseField('bytes', 0xfe, 0xff, 0xff, 0xff, 0x0f)).toBe(
      "Field 'f' ends too early",
    )
  })
})

describe('lists and maps', () => {
  test('come in blocks, with or without their size', async () => {
    expect(await readField(list('int'), 0x03, 0x04, 0x02, 0x04, 0x02, 0x06, 0x00)).toEqual([
      1, 2, 3,
    ])
    const map = await readField({ type: 'map', values: 'int' }, 0x01, 0x06, 0x02, 0x61, 0x02, 0x00)
    expect({ ...Object(map) }).toEqual({ a: 1 })
  })

  test('a size that does not hold is undecodable', async () => {
    expect(await refuseField(list('int'), 0x01, 0x04, 0x02, 0x00)).toBe(
      "Field 'f/1' has a block of another size than it says",
    )
    expect(await refuseField(list('int'), 0x01, 0x10, 0x02, 0x00)).toBe(
      "Field 'f/0' has a block that ends too early",
    )
    expect(await refuseField(list('int'), 0x01, 0x01, 0x02, 0x00)).toBe(
      "Field 'f/0' has a negative length",
    )
  })

  test('a key twice is undecodable; a key like __proto__ is a key', async () => {
    const entry = [0x02, 0x61, 0x02]
    const map = { type: 'map', values: 'int' }
    expect(await refuseField(map, 0x04, ...entry, ...entry, 0x00)).toBe(
      "Field 'f/*' has a key twice",
    )
    const contract = await contractWith(map)
    const sent = `{"svcMeta":{"schemaId":null,"consentLevels":[]},"key":"k","f":{"__proto__":1}}`
    const event = contract.readJson(Buffer.from(sent))
    expect(contract.decode(contract.encode(event))).toEqual(event)
    expect(JSON.stringify(contract.toPlain(event))).toBe(sent)
  })

  test.each([
    ['10,000,000', [0x80, 0xda, 0xc4, 0x09]],
    ['2^53 - 1', [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1f]],
    ['-10,000,000, of 0 octets', [0xff, 0xd9, 0xc4, 0x09, 0x00]],
  ])('a few octets that claim %s items cost next to nothing', async (_, octets) => {
    for (const type of [list('int'), list(list('string')), { type: 'map', values: 'int' }]) {
      const contract = await contractWith(type)
      const datum = datumWith(...octets)
      const before = process.memoryUsage().heapUsed
      expect(refusal(contract, datum)).toMatch(/^Field 'f\/[0*]' has more items than octets left$/)
      expect(process.memoryUsage().heapUsed - before).toBeLessThan(measured(1_048_576))
    }
  })

  test('nesting ends at 64, however the schema names itself', async () => {
    const node = { type: 'record', name: 'Node', fields: [{ name: 'n', type: ['null', 'Node'] }] }
    const contract = await contractWith(node)
    const nested = (levels: number) =>
      Buffer.concat([datumWith(), Buffer.alloc(levels - 1, 0x02), Buffer.alloc(1)])
    expect(contract.toPlain(contract.decode(nested(63)))).toMatchObject({ f: { n: { n: {} } } })
    expect(refusal(contract, nested(64))).toMatch(/n' is nested deeper than 64$/)
    expect(refusal(contract, nested(500_000))).toMatch(/n' is nested deeper than 64$/)
  })
})

test('random changes to a datum give an event or AppError undecodable, nothing else', async () => {
  const contract = await exampleContract('nps_unified_v1')
  const datum = contract.encode(contract.readJson(bodyOf('nps_unified_v1')))
  const change = fc.record({
    at: fc.nat(datum.length - 1),
    octet: fc.integer({ min: 0, max: 255 }),
  })
  fc.assert(
    fc.property(
      fc.array(change, { minLength: 1, maxLength: 4 }),
      fc.nat(datum.length),
      (changes, cut) => {
        const changed = Buffer.from(datum)
        for (const { at, octet } of changes) changed[at] = octet
        for (const body of [changed, changed.subarray(0, cut)]) {
          try {
            const event = contract.decode(body)
            expect(contract.decode(contract.encode(event))).toEqual(event)
            contract.toPlain(event)
          } catch (error) {
            if (!hasCode(error, 'contracts.undecodable')) throw error
          }
        }
      },
    ),
    { numRuns: 2_000 },
  )
})

test('what was read does not change with the body that it came in', async () => {
  const contract = await contractWith('bytes')
  const body = datumWith(0x04, 0x01, 0x02)
  const event = contract.decode(body)
  body.fill(0xff)
  expect(event).toEqual({
    ...baseEvent,
    svcMeta: { schemaId: null, consentLevels: [] },
    f: Buffer.from([1, 2]),
  })
  expect(bodyWith(contract.toPlain(event)).toString()).toContain('"f":"\\u0001\\u0002"')
})
