// The bound on what matching costs is one of processor time: whatever pattern and value come near it take less than
// it stands for. Measured as processor time, the least of a few runs, so that a crowded machine doesn't count.
import { describe, expect, test } from '@jest/globals'

import { chooseEngines, compileTest } from '../../src/pattern/engine.ts'
import { matchCost, stepsFor, stepsMax } from '../../src/pattern/steps.ts'
import type { Engine } from '../../src/types.ts'

const boundMs = 20

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** The same characters in no order that a branch predictor or a cache of states could learn. */
function textOf(letters: string, length: number, seed: number): string {
  let state = seed
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += letters[(state >>> 16) % letters.length] ?? ''
  }
  return text
}

const hardToRe2 = [
  ['a[ab]{150}[cd]', 'ab'],
  ['(?:[ab]?){150}[cd]', 'ab'],
  ['(?:[ab][bc]?){100}[cd]x?[de]', 'abc'],
  ['(?:(?:[ab]+)+[cd])+[ef]', 'abcd'],
  ['^(a+)+$', 'a'],
  ['[é-ú]{300}[ab]', 'éúí'],
  ['(?:.?.?.?){60}[\\n\\r]', 'abcdefgh'],
  ['(a|b)*a(a|b){12}[cd]', 'ab'],
  ['(\\w+\\s?)+$', 'é😀a'],
  ['\\s+$', ' '],
] as const

const evens = Array.from({ length: 200 }, (_, at) => String.fromCharCode(0x100 + 2 * at)).join('')
const hardToV8 = [
  ['[ab]{20}c', 'ab'],
  ['[ab]{20}(?:x|y)', 'ab'],
  ['[ab]{900}c', 'a'],
  ['a.{20}b', 'ac'],
  ['(?=a.{10}c)(?=a.{10}d)a', 'ab'],
  ['(?:a?){5}a{5}b', 'a'],
  ['^(?:a|b)*$', 'ab'],
  ['^(?:[a-z]+ )*$', 'ab'],
  ['^(?:a?){5}a*b', 'a'],
  ['^(?:[ab]*c|[ab]*d|[ab]*e|[ab]*f)', 'ab'],
  ['^.*[ab]{30}c', 'ab'],
  [`[${evens}]{20}x`, evens],
  [`^[${evens}]*$`, evens],
  ['\\b\\w{10}\\b!', 'ab '],
] as const

describe('a value at the bound takes less than 20 ms', () => {
  test.each(hardToRe2)('on re2js: %s', (pattern, letters) => atTheBound('re2', pattern, letters))
  test.each(hardToV8)('on V8: %s', (pattern, letters) => atTheBound('v8', pattern, letters))

  function atTheBound(engine: Engine, pattern: string, letters: string): void {
    const cost = matchCost(pattern, engine)
    const units = Math.min(1_048_576, Math.floor((stepsMax - cost.perValue) / cost.perUnit))
    expect(stepsFor(cost, units)).toBeLessThanOrEqual(stepsMax)
    const times = [1, 2, 3, 4].map((seed) => {
      const value = textOf(letters, units, seed)
      const isFound = compileTest(pattern, engine)
      return cpuMs(() => isFound(value))
    })
    expect(Math.min(...times)).toBeLessThan(boundMs)
  }

  test('many short values, too', () => {
    for (const [pattern, letters, engine] of [
      ['^(a+)+$', 'a', 're2'],
      ['(?:[ab]?){150}[cd]', 'ab', 're2'],
      ['^.+$', 'ab', 'v8'],
      ['[ab]{20}c', 'ab', 'v8'],
    ] as const) {
      const steps = stepsFor(matchCost(pattern, engine), 5)
      const values = Array.from({ length: Math.floor(stepsMax / steps) }, (_, seed) =>
        textOf(letters, 5, seed),
      )
      const isFound = compileTest(pattern, engine)
      const times = [1, 2, 3].map(() => cpuMs(() => values.forEach((value) => isFound(value))))
      expect(Math.min(...times)).toBeLessThan(boundMs)
    }
  })
})

test('the patterns above run on the engines that they are measured on', async () => {
  const choices = await chooseEngines([...hardToRe2, ...hardToV8].map(([pattern]) => pattern))
  expect(choices.slice(hardToRe2.length)).toEqual(hardToV8.map(() => ({ engine: 'v8' })))
}, 60_000)

test('what is usual stays far from the bound', () => {
  const url = '^(https?|ftp|file)://[-a-zA-Z0-9+&@#/%?=~_|!:,.;]*[-a-zA-Z0-9+&@#/%=~_|]'
  expect(stepsFor(matchCost('^.+$', 'v8'), 1_000_000)).toBeLessThan(stepsMax)
  expect(stepsFor(matchCost(url, 'v8'), 100_000)).toBeLessThan(stepsMax)
  expect(stepsFor(matchCost('^[^@]+@[^@]+$', 'v8'), 500_000)).toBeLessThan(stepsMax)
  expect(stepsFor(matchCost('^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', 'v8'), 36)).toBeLessThan(
    200,
  )
  expect(stepsFor(matchCost('^(a+)+$', 're2'), 15_000)).toBeLessThan(stepsMax)
})
