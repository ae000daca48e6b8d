// Tests every reader and writer against each other, and against avsc, an independent implementation of Avro.
import { expect, test } from '@jest/globals'
import avro from 'avsc'
import fc from 'fast-check'

import { limitProblems } from '../../src/avro/limits.ts'
import { parseJsonText } from '../../src/avro/json-text.ts'
import { compilePlain } from '../../src/avro/plain.ts'
import { compileAvroReader } from '../../src/avro/read-avro.ts'
import { compileJsonReader } from '../../src/avro/read-json.ts'
import { parseSchema } from '../../src/avro/schema.ts'
import { compileAvroSkimmer } from '../../src/avro/skim-avro.ts'
import { nullableOf } from '../../src/avro/types.ts'
import type { AvroType, RecordType } from '../../src/avro/types.ts'
import { emptyMap } from '../../src/avro/values.ts'
import { compileAvroWriter } from '../../src/avro/write-avro.ts'
import { Unreadable } from '../../src/unreadable.ts'

const primitives = ['null', 'boolean', 'int', 'long', 'float', 'double', 'bytes', 'string'] as const

/** A schema whose types have no names yet. */
const { shape } = fc.letrec<{ shape: unknown }>((tie) => ({
  shape: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(...primitives),
    fc.record({ type: fc.constant('fixed'), size: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ type: fc.constant('enum'), symbols: fc.constant(['A', 'B', 'toString_']) }),
    fc.record({ type: fc.constant('array'), items: tie('shape') }),
    fc.record({ type: fc.constant('map'), values: tie('shape') }),
    fc.record({ type: fc.constant('record'), fields: fc.array(tie('shape'), { maxLength: 4 }) }),
    fc.array(tie('shape'), { minLength: 1, maxLength: 4 }).map((branches) => ({ branches })),
  ),
}))

const isObject = (value: unknown): value is { [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Names each type that needs a name, and removes branches that a union may not have. */
function name(node: unknown, counter: { next: number }): unknown {
  if (!isObject(node)) return node
  const { type, branches, fields, items, values } = node
  if (Array.isArray(branches)) return nameUnion(branches, counter)
  counter.next += 1
  const own = `N${counter.next}`
  if (type === 'array') return { type, items: name(items, counter) }
  if (type === 'map') return { type, values: name(values, counter) }
  if (!Array.isArray(fields)) return { ...node, name: own }
  const named = fields.map((field, index) => ({ name: `f${index}`, type: name(field, counter) }))
  return { type, name: own, fields: named }
}

function nameUnion(branches: readonly unknown[], counter: { next: number }): unknown {
  const kindOf = (branch: unknown): unknown => {
    if (!isObject(branch)) return branch
    return branch['branches'] ? 'union' : branch['name'] === undefined ? branch['type'] : branch
  }
  const kept = branches.filter(
    (branch, index) =>
      kindOf(branch) !== 'union' &&
      branches.findIndex((other) => kindOf(other) === kindOf(branch)) === index,
  )
  return kept.length === 0 ? 'int' : kept.map((branch) => name(branch, counter))
}

const texts = fc.string({ unit: 'binary', maxLength: 100 }).filter((text) => text.isWellFormed())
const keys = fc.string({ maxLength: 5 }).filter((key) => key !== '__proto__')
const octets = (size: { minLength: number; maxLength: number }) =>
  fc.uint8Array(size).map((bytes) => Buffer.from(bytes))

/** Generates in-memory values of a type, with numbers that JSON and avsc can represent. */
function valuesOf(type: AvroType): fc.Arbitrary<unknown> {
  switch (type.kind) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'int':
      return fc.integer()
    case 'long':
      // avsc reads some negative numbers beyond this as positive ones; Weir's own code is tested with them below
      return fc.maxSafeInteger().map((value) => Math.trunc(value / 2) + 0)
    case 'float':
      return fc.float({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
    case 'double':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)
    case 'bytes':
      return octets({ minLength: 0, maxLength: 20 })
    case 'string':
      return texts
    case 'fixed':
      return octets({ minLength: type.size, maxLength: type.size })
    case 'enum':
      return fc.constantFrom(...type.symbols)
    case 'array':
      return fc.array(valuesOf(type.items), { maxLength: 5 })
    case 'map':
      return fc
        .dictionary(keys, valuesOf(type.values), { maxKeys: 4 })
        .map((map) => Object.assign(emptyMap(), map))
    case 'record':
      return fc.record(
        Object.fromEntries(type.fields.map((field) => [field.name, valuesOf(field.type)])),
        { noNullPrototype: true },
      )
    case 'union':
      return fc.oneof(
        ...type.branches.map((branch, index) =>
          valuesOf(branch).map((value) => (nullableOf(type) ? value : { branch: index, value })),
        ),
      )
  }
}

const schemas = shape
  .map((node) => {
    const text = JSON.stringify(name({ type: 'record', fields: [node] }, { next: 0 }))
    const result = parseSchema(text)
    if ('problems' in result) throw new Error(`${text}: ${result.problems.join()}`)
    return { text, type: result.type }
  })
  .filter(({ type }) => limitProblems(type).length === 0)

const cases = schemas.chain(({ text, type }) =>
  valuesOf(type).map((value) => ({ text, type, value })),
)

test('what is written is read again, and avsc reads and writes the same octets', () => {
  fc.assert(
    fc.property(cases, ({ text, type, value }) => {
      const datum = compileAvroWriter(type)(value)
      expect(compileAvroReader(type)(datum)).toEqual(value)
      const other = avro.Type.forSchema(JSON.parse(text), { wrapUnions: 'always' })
      expect(other.toBuffer(other.fromBuffer(datum)).equals(datum)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('the Avro JSON that avsc writes is read strictly as the same value', () => {
  fc.assert(
    fc.property(cases, ({ text, type, value }) => {
      const datum = compileAvroWriter(type)(value)
      const other = avro.Type.forSchema(JSON.parse(text), { wrapUnions: 'always' })
      const json = other.toString(other.fromBuffer(datum))
      expect(compileJsonReader(type)(parseJsonText(Buffer.from(json)).json).value).toEqual(value)
    }),
    { numRuns: 500 },
  )
})

test('no cut and no changed octet makes reading throw anything but Unreadable, or read what cannot be written', () => {
  fc.assert(
    fc.property(cases, fc.nat(), fc.nat(255), ({ type, value }, at, octet) => {
      const datum = compileAvroWriter(type)(value)
      const read = compileAvroReader(type)
      const changed = Buffer.from(datum)
      if (changed.length > 0) changed[at % changed.length] = octet
      for (const body of [changed, datum.subarray(0, at % (datum.length + 1))]) {
        try {
          const other = read(body)
          expect(read(compileAvroWriter(type)(other))).toEqual(other)
          JSON.stringify(compilePlain(type)(other))
        } catch (error) {
          if (!(error instanceof Unreadable)) throw error
        }
      }
    }),
    { numRuns: 500 },
  )
})

function pathsOf(type: RecordType): string[] {
  return type.fields.flatMap(({ name: field, type: own }) => {
    const inner = nullableOf(own) ?? own
    const below = inner.kind === 'record' ? pathsOf(inner) : []
    return [field, ...below.map((path) => `${field}/${path}`)]
  })
}

const skimmings = fc
  .array(shape, { minLength: 1, maxLength: 4 })
  .map((fields) => parseSchema(JSON.stringify(name({ type: 'record', fields }, { next: 0 }))))
  .chain((result) => {
    if ('problems' in result || result.type.kind !== 'record') throw new Error('no record')
    const { type } = result
    const paths = fc.subarray(pathsOf(type))
    return fc.record({ type: fc.constant(type), paths, value: valuesOf(type) })
  })
  .filter(({ type }) => limitProblems(type).length === 0)

test('what is skimmed for some of its fields is written as if all of it had been read, or refused as that is', () => {
  fc.assert(
    fc.property(skimmings, fc.nat(), fc.nat(255), ({ type, paths, value }, at, octet) => {
      const write = compileAvroWriter(type)
      const datum = write(value)
      const changed = Buffer.from(datum)
      if (changed.length > 0) changed[at % changed.length] = octet
      const outcome = (read: (body: Buffer) => unknown, body: Buffer): unknown => {
        try {
          return write(read(body), Buffer.from('head'))
        } catch (error) {
          return error instanceof Unreadable ? [error.message, error.steps] : error
        }
      }
      const skim = compileAvroSkimmer(type, paths)
      for (const body of [datum, changed, datum.subarray(0, at % (datum.length + 1))])
        expect(outcome(skim, body)).toEqual(outcome(compileAvroReader(type), body))
    }),
    { numRuns: 1_000 },
  )
})

test('a field that is looked at is read, and the others are carried over', () => {
  const schema = { type: 'record', name: 'R', fields: [] as object[] }
  for (const field of ['a', 'b', 'c']) schema.fields.push({ name: field, type: 'string' })
  const result = parseSchema(JSON.stringify(schema))
  if ('problems' in result || result.type.kind !== 'record') throw new Error('no record')
  const datum = compileAvroWriter(result.type)({ a: 'x', b: 'y', c: 'z' })
  expect(compileAvroSkimmer(result.type, ['b'])(datum)).toMatchObject({
    a: { fields: 1, start: 0, end: 2 },
    b: 'y',
    c: { fields: 1, start: 4, end: 6 },
  })
})

test('no JSON value makes reading throw anything but Unreadable', () => {
  fc.assert(
    fc.property(schemas, fc.jsonValue(), ({ type }, json) => {
      const write = compileAvroWriter(type)
      const read = compileJsonReader(type)
      const outcome = (): unknown => {
        try {
          return write(read({ f0: json }).value)
        } catch (error) {
          return error
        }
      }
      const result = outcome()
      expect(Buffer.isBuffer(result) || result instanceof Unreadable).toBe(true)
    }),
    { numRuns: 500 },
  )
})

test('every long is written and read exactly, up to ±(2^53 - 1)', () => {
  const write = compileAvroWriter({ kind: 'long' })
  const read = compileAvroReader({ kind: 'long' })
  const exact = (value: number): void => {
    const zigzag = value < 0 ? -2n * BigInt(value) - 1n : 2n * BigInt(value)
    const expected: number[] = []
    for (let rest = zigzag; ; rest >>= 7n) {
      if (rest < 128n) {
        expected.push(Number(rest))
        break
      }
      expected.push(Number(rest & 127n) | 128)
    }
    expect([...write(value)]).toEqual(expected)
    expect(read(Buffer.from(expected))).toBe(value)
  }
  for (let bits = 0; bits < 54; bits += 1) {
    for (const value of [2 ** bits - 1, 2 ** bits, -(2 ** bits), -(2 ** bits) + 1]) {
      if (Number.isSafeInteger(value)) exact(value + 0)
    }
  }
  fc.assert(fc.property(fc.maxSafeInteger(), exact))
})

test('texts of all lengths are written behind their right length', () => {
  const write = compileAvroWriter({ kind: 'string' })
  const read = compileAvroReader({ kind: 'string' })
  for (const unit of ['a', 'ä', '€', '😀']) {
    for (const count of [0, 1, 20, 31, 32, 63, 64, 4_095, 8_191, 8_192, 70_000, 1_100_000]) {
      const text = unit.repeat(count)
      expect(read(write(text)) === text).toBe(true)
    }
  }
})
