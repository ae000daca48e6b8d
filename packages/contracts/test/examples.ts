// The contracts and events of examples/, as files and compiled, for all tests of this package.
import { readFileSync } from 'node:fs'

import { compileContract, definitionText, prepareContract } from '../src/index.ts'
import type { Contract, ContractDefinition } from '../src/index.ts'

export const exampleNames = [
  'clickstream',
  'demo_v1',
  'nps_unified_v1',
  'partner_nps_unified_v1',
  'demo_event',
] as const
export type ExampleName = (typeof exampleNames)[number]

const folder = new URL('../../../examples/', import.meta.url)

export function definitionOf(name: ExampleName): ContractDefinition {
  const text = readFileSync(new URL(`contracts/${name}.json`, folder), 'utf8')
  const definition: ContractDefinition = JSON.parse(text)
  return definition
}

/** Returns the body as a producer sends it. */
export function bodyOf(name: ExampleName): Buffer {
  return readFileSync(new URL(`events/${name}.json`, folder))
}

export type Json = { [name: string]: unknown }

/** Returns a copy of the event, which a test may change. */
export function eventOf(name: ExampleName): Json {
  const event: Json = JSON.parse(bodyOf(name).toString('utf8'))
  return event
}

export const bodyWith = (event: unknown): Buffer => Buffer.from(JSON.stringify(event), 'utf8')

export async function compile(definition: unknown): Promise<Contract> {
  const result = await prepareContract(definition, definitionText(definition))
  if ('problems' in result) throw new Error(result.problems.join('\n'))
  return compileContract(result.prepared)
}

export const exampleContract = (name: ExampleName): Promise<Contract> => compile(definitionOf(name))

type Field = { name: string; type: unknown; default?: unknown }
export type ContractParts = {
  readonly id?: string
  readonly fields?: readonly Field[]
  readonly meta?: readonly Field[]
  readonly metaType?: (record: object) => unknown
  readonly validations?: readonly unknown[]
  readonly keyField?: unknown
  readonly pii?: unknown
  readonly subject?: string
}

const plainMeta: readonly Field[] = [
  { name: 'schemaId', type: ['null', 'string'], default: null },
  { name: 'consentLevels', type: { type: 'array', items: 'int' } },
]

/** Returns a small contract for one test: an envelope, the string `key`, and the given fields. */
export function definitionWith(parts: ContractParts): Json {
  const meta = { type: 'record', name: 'Meta', fields: parts.meta ?? plainMeta }
  const definition = {
    type: 'record',
    name: 'TestEvent',
    fields: [
      { name: 'svcMeta', type: parts.metaType ? parts.metaType(meta) : meta },
      { name: 'key', type: 'string' },
      ...(parts.fields ?? []),
    ],
  }
  return {
    id: parts.id ?? 'test',
    schema: { schema_type: 'avro', schema_registry_ref: 'catalog-test/latest', definition },
    validations: parts.validations ?? [],
    key_field: parts.keyField ?? 'key',
    pii_fields: parts.pii ?? {},
    ...(parts.subject === undefined ? {} : { data_subject_field: parts.subject }),
  }
}

/** The members of a `definitionWith` event that every test needs. */
export const baseEvent = { svcMeta: { schemaId: null, consentLevels: [0] }, key: 'k' }
