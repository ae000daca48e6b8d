// Contracts that permit the worst events: many values, many ways to read them, unlimited nesting.
import { compiling, contractOf, many, record } from './parts.ts'
import type { Field } from './parts.ts'

const compile = (...fields: readonly Field[]) => compiling(contractOf(fields))()
const field = (type: unknown): Field => ({ name: 'f', type })
const list = (items: unknown) => ({ type: 'array', items })
const map = (values: unknown) => ({ type: 'map', values })

export const plain = compile()
export const ints = compile(field(list('int')))
export const texts = compile(field(list('string')))
export const intsByName = compile(field(map('int')))
export const nested = compile(
  field(record('R', [{ name: 'r', type: ['null', 'R'], default: null }])),
)
export const lists = compile(field(list(list('int'))))
export const omitting = compile(
  field(
    list(
      record(
        'O',
        many(10, (i) => ({ name: `o${i}`, type: ['null', 'int'], default: null })),
      ),
    ),
  ),
)
export const union = compile(
  field(list(many(100, (i) => record(`B${i}`, [{ name: `n${i}`, type: 'int' }])))),
)
export const alike = compile(
  field(
    many(8, (i) =>
      record(`B${i}`, [
        { name: 'all', type: list('int') },
        { name: 'own', type: { type: 'enum', name: `E${i}`, symbols: [`S${i}`] } },
      ]),
    ),
  ),
)

/** Each engine searches for text that isn't there, and must try every position. */
export const patterns = compiling(contractOf([field(list('string'))]), [
  { field: 'f', type: 'regex', value: '^[^x]*$', engine: 'v8' },
  { field: 'f', type: 'regex', value: '^(?:ab?|[^a])*$', engine: 're2' },
])()
