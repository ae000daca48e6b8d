// Helpers for the cases: lists, and contracts with given fields.
import {
  compileContract,
  prepareContract,
  type Contract,
  type PreparedContract,
} from '@weir/contracts'

/** Creates `count` things from their indexes. */
export const many = <Thing>(count: number, make: (index: number) => Thing): Thing[] =>
  Array.from({ length: count }, (_, index) => make(index))

export type Field = { readonly name: string; readonly type: unknown; readonly default?: unknown }

export const record = (name: string, fields: readonly Field[]) => ({ type: 'record', name, fields })

const envelope: Field = {
  name: 'svcMeta',
  type: record('Meta', [
    { name: 'schemaId', type: 'string', default: '' },
    { name: 'consentLevels', type: { type: 'array', items: 'int' }, default: [] },
  ]),
}

type Definition = {
  readonly schema: { readonly definition: object }
  readonly key_field: string
  readonly pii_fields: Readonly<Record<string, number>>
  readonly validations: readonly object[]
}

/** Returns a contract whose schema has an envelope, a key field and these fields. */
export const contractOf = (
  fields: readonly Field[],
  parts: Partial<Definition> = {},
): Definition & { id: string } => ({
  id: 'worst',
  schema: Object.assign(
    { schema_type: 'avro', schema_registry_ref: 'acme-worst/1' },
    { definition: record('Event', [envelope, { name: 'key', type: 'string' }, ...fields]) },
  ),
  key_field: 'key',
  pii_fields: {},
  validations: [],
  ...parts,
})

/** Returns a function that prepares the contract, or throws its first error. */
export function preparing(definition: Definition): () => Promise<unknown> {
  const text = JSON.stringify(definition.schema.definition)
  return async () => {
    const result = await prepareContract(definition, text)
    if ('problems' in result) throw new Error(result.problems[0]?.slice(0, 200))
    return result.prepared
  }
}

/** Returns a function that compiles the prepared contract. */
export const compiling = (
  definition: Definition,
  validations: PreparedContract['validations'] = [],
): (() => Contract) => {
  const prepared = {
    id: 'worst',
    schemaText: JSON.stringify(definition.schema.definition),
    validations,
    keyField: definition.key_field,
    piiFields: definition.pii_fields,
  }
  return () => compileContract(prepared)
}

export const eventOf = (fields: object): Buffer =>
  Buffer.from(JSON.stringify({ svcMeta: { schemaId: '', consentLevels: [] }, key: 'k', ...fields }))

/** Returns an event in binary Avro: an empty envelope, the key, and the given fields. */
export const datumOf = (...fields: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 2, 0x6b]), ...fields])

/** Encodes a long as Avro does. */
export function long(value: number): Buffer {
  const octets: number[] = []
  for (let rest = value * 2; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...octets, rest])
    octets.push((rest % 128) + 128)
  }
}
