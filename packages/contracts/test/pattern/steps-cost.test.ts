// Measures that patterns and values near the bound on the cost of matching take less processor time than the bound
// permits. The test takes the minimum of a few runs, and needs a quiet machine.
import { describe, expect, test } from '@jest/globals'

import { compileTest } from '../../src/pattern/engine.ts'
import { matchCost, stepsFor, stepsMax } from '../../src/pattern/steps.ts'
import type { Engine } from '../../src/types.ts'
import { hardToRe2, hardToV8 } from './hard-patterns.ts'

const boundMs = 20

function cpuMs(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/** Returns a text of these letters, in an order that neither a branch predictor nor a cache of states can learn. */
function textOf(letters: string, length: number, seed: number): string {
  let state = seed
  let text = ''
  while (text.length < length) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    text += letters[(state >>> 16) % letters.length] ?? ''
  }
  return text
}

describe('a value at the bound takes less than 20 ms', () => {
  test.each(hardToRe2)('on re2js: %s', (pattern, letters, _perUnit) =>
    atTheBound('re2', pattern, letters),
  )
  test.each(hardToV8)('on V8: %s', (pattern, letters, _perUnit) =>
    atTheBound('v8', pattern, letters),
  )

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
