// Publishes a contract (spec Event contract). Reports all problems of a contract together. If there is no problem,
// claims the subject, registers the schema if the registry lacks it, and writes the record. After that, no service
// needs the registry for this contract.
import { definitionText, parseSchemaRef, prepareContract } from '@weir/contracts'
import { refusal } from '../../errors.ts'
import { invalid } from '@weir/http-api'
import type { SchemaRef } from '@weir/contracts'
import type { RegisteredSchema, Registry as WholeRegistry } from '@weir/schema-registry'
import { hasCode } from '@weir/kit'
import { addContract, claimSubject, subjectOwnerIn } from './add-contract.ts'
import type { ContractRecord, StateFollower } from '@weir/control-state'
import type { Changes } from '../changes.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'
import { unknownMembers } from './unknown-members.ts'

type Registry = Pick<WholeRegistry, 'register' | 'bySubject'>

export type Publishing = Changes & {
  readonly wrappingKeys: WrappingKeys
  readonly follower: Pick<StateFollower, 'tables' | 'refresh'>
  readonly registry: Registry
}

export type Published = { readonly contract: ContractRecord; readonly warnings: readonly string[] }

export async function publishContract(
  deps: Publishing,
  billingId: string,
  input: unknown,
): Promise<Published> {
  const { registry } = deps
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalid(['The body must be a JSON object'])
  const schemaRegistryRef = refIn(input)
  const ref = parseSchemaRef(schemaRegistryRef)
  const inline = definitionText(input)
  const mayRead = inline === undefined && ref && !(await isOthers(deps, billingId, ref))
  const found = mayRead ? await readSchema(registry, ref) : undefined
  const prepared = await prepareContract(input, inline ?? found?.schemaText, billingId)
  const problems = [...unknownMembers(input), ...('problems' in prepared ? prepared.problems : [])]
  if ('problems' in prepared || problems.length > 0 || ref === undefined) throw invalid(problems)
  const { subject } = ref
  await claimSubject(deps, { billingId, id: prepared.prepared.id, subject })
  const schema = found ?? (await register(registry, ref, prepared.prepared.schemaText))
  return addContract(deps, {
    billingId,
    prepared: prepared.prepared,
    schemaRegistryRef,
    subject,
    registryId: schema.id,
    registryVersion: schema.version,
  })
}

/** A schema of another account counts as missing, because the reported problems would reveal it. */
async function isOthers(
  { follower }: Pick<Publishing, 'follower'>,
  billingId: string,
  { subject }: SchemaRef,
): Promise<boolean> {
  await follower.refresh() // the owner may be new
  return (subjectOwnerIn(follower.tables, subject) ?? billingId) !== billingId
}

/** Accepts any JSON. `prepareContract` reports an invalid ref. */
function refIn(input: object): string {
  const schema: unknown = 'schema' in input ? input.schema : undefined
  if (typeof schema !== 'object' || schema === null) return ''
  const ref: unknown = 'schema_registry_ref' in schema ? schema.schema_registry_ref : undefined
  return typeof ref === 'string' ? ref : ''
}

async function readSchema(
  registry: Registry,
  { subject, version }: SchemaRef,
): Promise<RegisteredSchema | undefined> {
  try {
    return await registry.bySubject(subject, version === 'latest' ? 'latest' : Number(version))
  } catch (error) {
    if (hasCode(error, 'registry.not_found')) return undefined
    throw unavailableIfRegistry(error)
  }
}

/** Registers the schema. If the ref names a version, that version must have this schema. */
async function register(
  registry: Registry,
  ref: SchemaRef,
  schemaText: string,
): Promise<RegisteredSchema> {
  const registered = await registry.register(ref.subject, schemaText).catch((error: unknown) => {
    if (hasCode(error, 'registry.incompatible', 'registry.invalid_schema'))
      throw invalid([`schema.definition: ${error.message}`])
    throw unavailableIfRegistry(error)
  })
  if (ref.version === 'latest') return registered
  const named = await readSchema(registry, ref)
  if (named?.id === registered.id) return registered
  throw invalid([
    `schema.schema_registry_ref: version ${ref.version} of ${ref.subject} is not this schema; write latest, or leave the definition out`,
  ])
}

function unavailableIfRegistry(error: unknown): unknown {
  return hasCode(error, 'registry.unavailable')
    ? refusal('unavailable', 'The schema registry does not respond; try again', {
        cause: error,
      })
    : error
}
