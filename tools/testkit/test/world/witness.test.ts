// A search without results proves something only if the same search finds values that are there.
import { expect, test } from '@jest/globals'

import { createWitness } from '../../src/world/witness.ts'

const value = 'Zm9yIHlvdXIgZXllcyBvbmx5IQ'
const token = `eyJhbGciOiJSUzI1NiJ9.${'claims'.repeat(5)}.${'signature'.repeat(5)}`
const bytes = Buffer.from(`xx${value}yy`)

test.each([
  ['as it is', `before ${value} after`],
  ['escaped', JSON.stringify({ text: `"${value}"` })],
  ['in hexadecimal', bytes.toString('hex')],
  ['in upper-case hexadecimal', bytes.toString('hex').toUpperCase()],
  ['in base64', bytes.toString('base64')],
  ['in base64, one byte on', bytes.subarray(1).toString('base64')],
  ['in base64, two bytes on', bytes.subarray(2).toString('base64')],
  ['in base64url', bytes.toString('base64url')],
  ['as a Buffer in JSON', JSON.stringify(bytes)],
  ['shortened', `${value.slice(0, 18)}…`],
])('a value is found %s', (_, text) => {
  const witness = createWitness()
  witness.knows('a value', value)
  expect(witness.tracesIn(text)).toEqual(['a value'])
})

test('of a token only what is secret is looked for, which its head is not', () => {
  const witness = createWitness()
  witness.knows('a token', token)
  expect(witness.tracesIn('eyJhbGciOiJSUzI1NiJ9')).toEqual([])
  expect(witness.tracesIn(token.split('.')[2] ?? '')).not.toEqual([])
})

test('a new value is found after every escape, and nothing where nothing is', () => {
  const witness = createWitness()
  const made = witness.newValue('made')
  expect(witness.tracesIn(JSON.stringify(made))).not.toEqual([])
  expect(witness.tracesIn(encodeURIComponent(made))).not.toEqual([])
  expect(witness.tracesIn('nothing of it')).toEqual([])
})
