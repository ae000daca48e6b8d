// The most expensive patterns for each engine. Each has the letters of its most expensive values, and the calculated
// steps per UTF-16 unit. steps-cost.test.ts measures that the steps suffice; run this test if you lower a number.

/** A pattern, the letters of its values, and the steps per unit. */
export type Hard = readonly [pattern: string, letters: string, perUnit: number]

export const hardToRe2: readonly Hard[] = [
  ['a[ab]{150}[cd]', 'ab', 1540],
  ['(?:[ab]?){150}[cd]', 'ab', 4530],
  ['(?:[ab][bc]?){100}[cd]x?[de]', 'abc', 4060],
  ['(?:(?:[ab]+)+[cd])+[ef]', 'abcd', 250],
  ['^(a+)+$', 'a', 120],
  ['[é-ú]{300}[ab]', 'éúí', 3030],
  ['(?:.?.?.?){60}[\\n\\r]', 'abcdefgh', 4230],
  ['(a|b)*a(a|b){12}[cd]', 'ab', 700],
  ['(\\w+\\s?)+$', 'é😀a', 150],
  ['\\s+$', ' ', 50],
]

const evens = Array.from({ length: 200 }, (_, at) => String.fromCharCode(0x100 + 2 * at)).join('')
export const hardToV8: readonly Hard[] = [
  ['[ab]{20}c', 'ab', 13.8],
  ['[ab]{20}(?:x|y)', 'ab', 32.4],
  ['[ab]{900}c', 'a', 541.8],
  ['a.{20}b', 'ac', 14.4],
  ['(?=a.{10}c)(?=a.{10}d)a', 'ab', 18],
  ['(?:a?){5}a{5}b', 'a', 460.8],
  ['^(?:a|b)*$', 'ab', 8.4],
  ['^(?:[a-z]+ )*$', 'ab', 4.2],
  ['^(?:a?){5}a*b', 'a', 38.4],
  ['^(?:[ab]*c|[ab]*d|[ab]*e|[ab]*f)', 'ab', 40.8],
  ['^.*[ab]{30}c', 'ab', 19.8],
  [`[${evens}]{20}x`, evens, 105.5],
  [`^[${evens}]*$`, evens, 5.8],
  ['\\b\\w{10}\\b!', 'ab ', 9],
]
