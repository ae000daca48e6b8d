import { expect, test } from '@jest/globals'
import { createProgressLine, lineOf } from '../../src/terminal/progress.ts'

test('a line says how far it is, and how long it takes, once that can be told', () => {
  expect(lineOf('writing', { done: 1_250, total: 5_000, elapsedMs: 4_000 })).toBe(
    'writing  [######------------------]   25 %  1,250 of 5,000  12 s left',
  )
  expect(lineOf('writing', { done: 1_250, total: 5_000, elapsedMs: 400 })).toBe(
    'writing  [######------------------]   25 %  1,250 of 5,000',
  )
  expect(lineOf('writing', { done: 10, total: 10_000, elapsedMs: 60_000 })).not.toContain('left')
  expect(lineOf('writing', { done: 100, total: 1_000, elapsedMs: 60_000 })).toContain('9 min left')
  expect(lineOf('writing', { done: 12, total: 12, elapsedMs: 1, counted: '6 events' })).toMatch(
    / 100 %  6 events$/,
  )
  expect(lineOf('waiting', { done: 7, total: undefined, elapsedMs: 0 })).toBe('waiting  7')
  expect(lineOf('writing', { done: 0, total: 0, elapsedMs: 0 })).toContain('100 %')
})

test('nothing is drawn without a terminal; on one, the line is gone at the end', () => {
  createProgressLine({ screen: undefined }, 'writing').show(1, 2)
  const drawn: string[] = []
  const screen = { draw: (text: string) => void drawn.push(text), columns: () => 20 }
  const progress = createProgressLine({ screen }, 'looking')
  progress.show(1, 4)
  // Too soon after the first call to be drawn.
  progress.show(2, 4)
  progress.show(4, 4, 'writing')
  progress.end()
  expect(drawn).toEqual(['looking  [######---', 'writing  [#########', ''])
})
