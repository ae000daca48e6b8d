// The worst events in Avro JSON. An event has up to 1 MiB.
import type { ParserCase } from '../../src/complexity/parser-growth.ts'
import { eventOf, many } from './parts.ts'
import {
  alike,
  ints,
  intsByName,
  lists,
  nested,
  omitting,
  patterns,
  plain,
  texts,
  union,
} from './worst-contracts.ts'

/** Returns JSON text that JavaScript's objects and numbers could not produce. */
const textOf = (before: string, f: string): Buffer =>
  Buffer.from(`{"svcMeta":{"schemaId":"","consentLevels":[]},"key":"k"${before},"f":${f}}`)
const members = (names: readonly string[]): string =>
  `{${names.map((name) => `"${name}":0`).join(',')}}`

function requireNone(violation: string | undefined): void {
  if (violation !== undefined) throw new Error(violation.slice(0, 200))
}

export const jsonCases: readonly ParserCase[] = [
  {
    name: 'a body of fields that the contract lacks',
    size: 8_000,
    at: (n) => {
      const body = eventOf(Object.fromEntries(many(n, (i) => [`x${i}`, 0])))
      return () => plain.readJson(body)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'a body that names one field again and again',
    size: 2_000,
    at: (n) => {
      const body = textOf(',"f":[0]'.repeat(n), '[0]')
      return () => ints.readJson(body)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'a map of many keys',
    size: 1_500,
    at: (n) => {
      const body = textOf('', members(many(n, (i) => `x${i}`)))
      return () => intsByName.readJson(body)
    },
    ends: 'taken',
  },
  {
    name: 'a map of keys that are numbers, far apart and backwards',
    size: 1_000,
    at: (n) => {
      const body = textOf('', members(many(n, (i) => String((n - i) * 4_096))))
      return () => intsByName.readJson(body)
    },
    ends: 'taken',
  },
  {
    name: 'a map of keys with one beginning',
    size: 1_200,
    at: (n) => {
      const body = textOf('', members(many(n, (i) => `${'x'.repeat(90)}${i}`)))
      return () => intsByName.readJson(body)
    },
    ends: 'taken',
  },
  {
    name: 'lists in lists without end',
    size: 15_000,
    at: (n) => {
      const body = textOf('', '['.repeat(n) + ']'.repeat(n))
      return () => lists.readJson(body)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'objects in objects without end',
    size: 20_000,
    at: (n) => {
      const body = textOf('', '{"r":'.repeat(n) + 'null' + '}'.repeat(n))
      return () => nested.readJson(body)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'brackets that are never closed',
    size: 15_000,
    at: (n) => {
      const body = textOf('', '['.repeat(n))
      return () => lists.readJson(body)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'a number of many digits',
    size: 120_000,
    at: (n) => {
      const body = textOf('', `[0.${'1'.repeat(n)}]`)
      return () => ints.readJson(body)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'many numbers of many digits',
    size: 190, // above 128 KiB, because V8 handles shorter texts at a lower cost
    at: (n) => {
      const body = textOf('', `[${many(n, () => `0.${'9'.repeat(700)}e-300`).join(',')}]`)
      return () => ints.readJson(body)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'a text of escapes',
    size: 20_000,
    at: (n) => {
      const body = textOf('', `["${'\\u00e9'.repeat(n)}"]`)
      return () => texts.readJson(body)
    },
    ends: 'taken',
  },
  {
    name: 'a text that is not well-formed at its end',
    size: 40_000,
    at: (n) => {
      const body = textOf('', `["${'é'.repeat(n)}\\ud800"]`)
      return () => texts.readJson(body)
    },
    ends: 'contracts.undecodable',
  },
  {
    name: 'objects that leave out every field',
    size: 1_200,
    at: (n) => {
      const body = textOf('', `[${many(n, () => '{}').join(',')}]`)
      return () => omitting.readJson(body)
    },
    ends: 'taken',
  },
  {
    name: 'plain values of a union of a hundred records',
    size: 2_000,
    at: (n) => {
      const body = textOf('', `[${many(n, () => '{"n99":0}').join(',')}]`)
      return () => union.readJson(body)
    },
    ends: 'taken',
  },
  {
    name: 'a large value that could be any of the records of a union',
    size: 3_000,
    at: (n) => {
      const body = textOf('', `{"all":[${many(n, () => '0').join(',')}],"own":"S7"}`)
      return () => alike.readJson(body)
    },
    ends: 'taken',
  },
  {
    name: 'one long text that patterns are held against',
    size: 500,
    at: (n) => {
      const event = patterns.readJson(textOf('', `["${'ab'.repeat(n)}"]`))
      return () => requireNone(patterns.firstViolation(event))
    },
    ends: 'taken',
  },
  {
    name: 'many texts that patterns are held against',
    size: 100,
    at: (n) => {
      const event = patterns.readJson(textOf('', `[${many(n, () => '"abab"').join(',')}]`))
      return () => requireNone(patterns.firstViolation(event))
    },
    ends: 'taken',
  },
]
