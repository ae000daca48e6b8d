// Creates contracts for one test, with an envelope and the test's fields and validations.
import { expectStatus, freshName } from './account.ts'
import type { Account } from './account.ts'

export type ContractField = { name: string; type: unknown; default?: unknown; doc?: string }
export type ContractParts = {
  id: string
  fields: readonly ContractField[]
  validations?: readonly { field: string; value: string }[]
  keyField?: string
  piiFields?: Readonly<Record<string, number>>
  dataSubjectField?: string
}

const envelope: readonly ContractField[] = [
  { name: 'schemaId', type: ['null', 'string'], default: null },
  { name: 'nonce', type: ['null', 'int'], default: null },
  { name: 'timestamp', type: ['null', 'long'], default: null },
  { name: 'keyLink', type: ['null', 'int'], default: null },
  { name: 'billingId', type: ['null', 'string'], default: null },
  { name: 'consentLevels', type: { type: 'array', items: 'int' } },
]

/** Creates the contract. Adds a key field `key` if `keyField` isn't given. */
export async function newContract(account: Account, parts: ContractParts): Promise<void> {
  expectStatus(await account.call('POST', '/v2/contracts', contractOfFields(account, parts)), 201)
}

/** Returns the contract's definition, in the form for `POST /v2/contracts`. */
export function contractOfFields(account: Account, parts: ContractParts): object {
  const { id, validations = [], keyField = 'key', piiFields = {} } = parts
  const key: ContractField[] = keyField === 'key' ? [{ name: 'key', type: 'string' }] : []
  const fields = [
    { name: 'svcMeta', type: { type: 'record', name: 'Envelope', fields: envelope } },
    ...key,
    ...parts.fields,
  ]
  return {
    id,
    schema: {
      schema_type: 'avro',
      schema_registry_ref: `${account.billingId.replaceAll('-', '_')}-${freshName('c')}/latest`,
      definition: { type: 'record', name: 'Made', fields },
    },
    validations: validations.map((validation) => ({ ...validation, type: 'regex' })),
    key_field: keyField,
    pii_fields: piiFields,
    ...(parts.dataSubjectField === undefined ? {} : { data_subject_field: parts.dataSubjectField }),
  }
}

export const madeEvent = (parts: object = {}, consentLevels: readonly number[] = [0]): string =>
  JSON.stringify({
    svcMeta: {
      schemaId: null,
      nonce: null,
      timestamp: null,
      keyLink: null,
      billingId: null,
      consentLevels,
    },
    key: 'k',
    ...parts,
  })
