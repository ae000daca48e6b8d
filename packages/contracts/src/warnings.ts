// Finds probable mistakes in a valid contract. They do not prevent its publication.
import { partsOf, reachableFrom } from './avro/limits.ts'
import { parseSchema } from './avro/schema.ts'
import { nullableOf } from './avro/types.ts'
import type { AvroType } from './avro/types.ts'
import { typeAt } from './paths.ts'
import { likelyMistake } from './pattern/likely-mistake.ts'
import type { PreparedContract, Validation } from './types.ts'

export function contractWarnings({
  schemaText,
  keyField,
  validations,
}: PreparedContract): string[] {
  const result = parseSchema(schemaText)
  if (!('type' in result) || result.type.kind !== 'record') return []
  const key = typeAt(result.type, keyField)
  const nullableKey =
    key && nullableOf(key)
      ? [`The key field ${keyField} is nullable: events in which it is null are refused`]
      : []
  return [...nullableKey, ...decimalsIn(result.type).map(decimal), ...validations.flatMap(pattern)]
}

function pattern({ field, value }: Validation): string[] {
  const mistake = likelyMistake(value)
  return mistake === undefined ? [] : [`The pattern of the field ${field} has ${mistake}`]
}

const decimalsIn = (root: AvroType): string[] =>
  reachableFrom(root)
    .flatMap((type) => (type.kind === 'record' ? type.fields : []))
    .filter(({ type }) => [type, ...partsOf(type)].some(isDecimal))
    .map(({ name }) => name)

const isDecimal = (type: AvroType): boolean => type.kind === 'bytes' && type.logical === 'decimal'

const decimal = (name: string): string =>
  `The field ${name} is a decimal: JSON contains its bytes, not its digits, so "12.50" is stored as another number; for money use a long in cents, or a string`
