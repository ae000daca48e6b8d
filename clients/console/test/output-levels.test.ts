// The typed levels of an output: parsed, or the problem in plain words.
import { expect, test } from '@jest/globals'
import { readLevels } from '../web/streams/output-levels.ts'

test.each([
  ['2', 'CUMULATIVE', [2]],
  ['1, 3', 'GRANULAR', [1, 3]],
  [' 0  255 ', 'GRANULAR', [0, 255]],
] as const)('%j of %s', (text, type, levels) => {
  expect(readLevels(text, type)).toEqual({ levels })
})

test.each([
  ['', 'GRANULAR', 'Enter a level.'],
  ['two', 'GRANULAR', 'Levels are whole numbers from 0 to 255.'],
  ['256', 'CUMULATIVE', 'Levels are whole numbers from 0 to 255.'],
  ['1, 1', 'GRANULAR', 'Enter each level once.'],
  ['1, 2', 'CUMULATIVE', 'Enter one level: an output of this type decrypts it and all below it.'],
] as const)('%j of %s: %s', (text, type, problem) => {
  expect(readLevels(text, type)).toEqual({ problem })
})
