// Helpers for the cases: lists, and contracts by the fields of their schemas.
import {
  compileContract,
  prepareContract,
  type Contract,
  type PreparedContract,
} from '@weir/contracts'

/** Creates `count` things by their index. */
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

/** A contract. Besides these fields, its schema has an envelope and a key field. */
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

/** Prepares the contract, or throws its first error. */
export function preparing(definition: Definition): () => Promise<unknown> {
  const text = JSON.stringify(definition.schema.definition)
  return async () => {
    const result = await prepareContract(definition, text)
    if ('problems' in result) throw new Error(result.problems[0]?.slice(0, 200))
    return result.prepared
  }
}

/** The compiled functions of a prepared contract that services call, including its validations. */
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

/** The event as octets: an empty envelope, the key, and the given fields. */
export const datumOf = (...fields: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 2, 0x6b]), ...fields])

/** A long in Avro's encoding. */
export function long(value: number): Buffer {
  const octets: number[] = []
  for (let rest = value * 2; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...octets, rest])
    octets.push((rest % 128) + 128)
  }
}
