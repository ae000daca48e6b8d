// Nothing that a stranger sends costs more than in proportion to its size: at 8 times the size at most 12 times the CPU
// time. The worst input of a new parser goes into one of the tables.
import { describe, expect, test } from '@jest/globals'
import { parserGrowth } from '../../src/complexity/parser-growth.ts'
import type { ParserCase } from '../../src/complexity/parser-growth.ts'
import { avroCases } from './avro-cases.ts'
import { contractCases } from './contract-cases.ts'
import { headerCases } from './header-cases.ts'
import { jsonCases } from './json-cases.ts'

const growsLinearly = async (parserCase: ParserCase): Promise<void> =>
  expect(await parserGrowth(parserCase)).toBe('linear')

describe('the time to prepare or compile grows no faster than', () => {
  test.each(contractCases)('$name', growsLinearly)
})
describe('the time to read Avro JSON grows no faster than', () => {
  test.each(jsonCases)('$name', growsLinearly)
})
describe('the time to read Avro octets grows no faster than', () => {
  test.each(avroCases)('$name', growsLinearly)
})
describe('the time to read a head grows no faster than', () => {
  test.each(headerCases)('$name', growsLinearly)
})

test('work that grows with the square of its input is found out', async () => {
  const square: ParserCase = {
    name: 'pairs',
    size: 400,
    at: (n) => () => {
      let pairs = 0
      for (let a = 0; a < n; a += 1) for (let b = 0; b < n; b += 1) pairs ^= a ^ b
      return pairs
    },
    ends: 'taken',
  }
  expect(await parserGrowth(square)).toMatch(/8x: .* \([3-9]\d\.\d\)$/)
})
