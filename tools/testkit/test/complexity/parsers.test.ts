// The cost of untrusted input grows about linearly: at 8 times the size, at most 20 times the CPU time. Add the worst
// input of a new parser to one of the tables.
import { describe, expect, test } from '@jest/globals'
import { describeGrowth, growthOf, isLinear } from '../../src/complexity/growth.ts'
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

describe('work that grows with the square of its input is found out', () => {
  test('by what it counts', async () => {
    expect(await countedGrowth((n) => n * n)).toBe(
      '1x: 160.00 ms (1.0), 2x: 640.00 ms (4.0), 4x: 2560.00 ms (16.0), 8x: 10240.00 ms (64.0)',
    )
    expect(await countedGrowth((n) => 400 * n)).toBe('linear')
  })

  test('by the time that it takes', async () => {
    const square: ParserCase = {
      name: 'pairs',
      size: 1_600,
      at: (n) => () => {
        let pairs = 0
        for (let a = 0; a < n; a += 1) for (let b = 0; b < n; b += 1) pairs ^= a ^ b
        return pairs
      },
      ends: 'taken',
    }
    expect(await parserGrowth(square, 4)).toMatch(/8x: .* \([3-9]\d\.\d\)$/)
  })

  /** Measures with a clock that the work itself advances. */
  async function countedGrowth(micros: (size: number) => number): Promise<string> {
    let clock = 0
    const growth = await growthOf({
      at: async (times) => async () => void (clock += micros(400 * times)),
      cpuMicros: async () => clock,
      leastMicros: 8_000,
      mostMicros: Infinity,
    })
    return isLinear(growth) ? 'linear' : describeGrowth(growth)
  }
})
