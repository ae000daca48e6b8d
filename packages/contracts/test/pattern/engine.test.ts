import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'

import { compileTest, patternProblem } from '../../src/pattern/engine.ts'
import { compileRe2 } from '../../src/pattern/re2.ts'
import { chosenAlone } from './chosen-alone.ts'

describe('which engine a pattern gets', () => {
  test('V8 if linear and cheap, re2js if not, none if RE2 lacks it too', async () => {
    const expected = {
      '^.+$': 'v8',
      '^(https?|ftp|file)://[-a-zA-Z0-9+&@#/%?=~_|!:,.;]*[-a-zA-Z0-9+&@#/%=~_|]': 'v8',
      '^[^@]+@[^@]+$': 'v8',
      '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$': 'v8',
      '': 'v8',
      '^(?=a)(?!ab)a': 'v8',
      '(a)\\1': 'v8',
      // exponential and quadratic
      '^(a+)+$': 're2',
      '(x+x+)+y': 're2',
      '\\s+$': 're2',
      // linear in the value, but exponential in the pattern
      '(a?){30}a{30}': 're2',
      '^(?:a{0,30}){0,30}$': 're2',
      '^(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)b*$':
        're2',
      '.{0,90}x': 're2',
    } as const
    const sources = Object.keys(expected)
    const choices = await chosenAlone(sources)
    expect(sources.map((source, index) => [source, choices[index]])).toEqual(
      Object.entries(expected).map(([source, engine]) => [source, { engine }]),
    )
  })

  test.each([
    ['(', 'is not a regular expression: Unterminated group'],
    ['a'.repeat(1_001), 'is longer than 1000 characters'],
    ['\ud800', 'is not well-formed Unicode'],
    ['a+', undefined],
  ])('%j %s', (source, problem) => {
    expect(patternProblem(source)).toBe(problem)
  })

  test('a pattern that nothing can run is refused with the reason', async () => {
    const unproved = "can't be proved linear, and RE2 can't express it: "
    const expected = [
      ['(a*)*\\1b', `${unproved}it refers back to a group`],
      ['(?=(a+)+b)c', `${unproved}it looks ahead or behind`],
      ['(?i:a+)+$', `${unproved}it has a group with flags of its own`],
      ['(?:a{999}){9}', `${unproved}its repeats come to more than 2000 steps`],
      ['(?:(?:(?:x?){999}){999}){999}', `${unproved}its repeats come to more than 2000 steps`],
      ['a{1001}', `${unproved}invalid repeat count: \`{1001,1001}\``],
    ] as const
    const choices = await chosenAlone(expected.map(([source]) => source))
    expect(choices).toEqual(expected.map(([, problem]) => ({ problem })))
  })
})

describe('re2js answers as RegExp.test does', () => {
  const patterns = [
    '^(a+)+$',
    '(a|b)*abb',
    '\\bcat\\b',
    '\\Bat',
    '^$',
    'a{2,3}b{0}c{2,}',
    'x*?y+?z??',
    '.',
    '^.{2}$',
    '[^]',
    '[]',
    '[^a-c]',
    '[\\d-x]',
    '[a-]',
    '[-a]',
    '[\\w.]+@',
    '[\\]\\[]',
    '[[:alpha:]]',
    '\\s',
    '\\S\\W\\D',
    '[\\s\\S]',
    '[\\b]',
    '\\t\\n\\v\\f\\r\\0',
    '\\x41\\u0042',
    '\\u{3}',
    '\\cA',
    '\\z',
    '\\A',
    '\\Q',
    '\\a',
    '\\p{L}',
    '{',
    'a{',
    'a{,3}',
    '}',
    ']',
    '\\/\\-\\.',
    '(?<name>a)b',
    '(?:a|)b',
    '()',
    '(|a)+',
    '\u20ac+',
    '[\u20ac-\uffff]',
    '\ud83d\ude00+',
    '[\ud83d\ude00]',
    '[\\ud800-\\udfff]',
    '$a',
    'a^',
    '(?:^a|b$)',
    '\\$\\^',
    '(^)*a',
    '(?:\\b)*a',
  ]
  const values = [
    '',
    'a',
    'aaab',
    'abb',
    'a cat!',
    'bat',
    'aac',
    'xyz',
    '\n',
    '\r\n',
    '\u2028',
    '\u00a0',
    '\ufeff',
    'a\nb',
    '😀',
    '😀😀',
    '\ude00',
    'AB',
    'a{,3}',
    'uuu',
    'p{L}',
    'z',
    'A',
    'Q',
    ':',
    '€€',
    '\u0001',
    '\u0000',
    '\b',
    ']',
    '-',
    '/-.',
    '\t\n\v\f\r\u0000',
    'ab',
    '^a',
    '$',
    'na\u00efve',
  ]

  test.each(patterns)('%j', (pattern) => {
    const re2 = compileRe2(pattern)
    const v8 = new RegExp(pattern)
    for (const value of values) {
      expect({ value, isFound: re2(value) }).toEqual({ value, isFound: v8.test(value) })
    }
  })

  test('for random patterns and values', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'a',
        'b',
        'é',
        '.',
        '\\d',
        '\\w',
        '\\s',
        '\\S',
        '\\W',
        '\\b',
        '\\B',
        '^',
        '$',
        '😀',
        '\\.',
      ),
      fc.constantFrom(
        '[ab]',
        '[^a]',
        '[a-z\\d]',
        '[^\\s]',
        '[\\S]',
        '[]',
        '[^]',
        '[0-\\uffff]',
        '\\u0041',
      ),
    )
    const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
      pattern: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        piece,
        fc.tuple(tie('pattern'), tie('pattern')).map(([first, second]) => `${first}${second}`),
        fc.tuple(tie('pattern'), tie('pattern')).map(([first, second]) => `(?:${first}|${second})`),
        fc
          .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,}', '{0,2}', '*?'))
          .map(([part, times]) => `(${part})${times}`),
      ),
    }))
    const value = fc.string({
      unit: fc.constantFrom('a', 'b', 'z', '1', ' ', '\n', 'é', '😀', '\u2028', '.'),
      maxLength: 12,
    })
    fc.assert(
      fc.property(pattern, value, (source, text) => {
        const isFound = new RegExp(source).test(text)
        expect(compileTest(source, 're2')(text)).toBe(isFound)
        // too large for an automaton
        expect(compileTest(`(?:${source})|q{70}`, 're2')(text)).toBe(isFound)
      }),
      { numRuns: 3_000 },
    )
  })

  test('in linear time', () => {
    const isFound = compileTest('^(a+)+$', 're2')
    expect(isFound(`${'a'.repeat(100_000)}b`)).toBe(false)
  })
})
