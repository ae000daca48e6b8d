// Checks whether the schema registry is the one in which contracts were registered: it must know each contract's schema
// by the id in stored events. A lost schema is registered again, and must get the same id. Otherwise readers that use
// this registry could not decode stored events.
import type { Registry, SchemaPlace } from '@weir/schema-registry'
import { hasCode } from '@weir/kit'
import type { Log } from '@weir/kit'
import type { ContractRecord } from '@weir/control-state'

const atOnceMax = 8

type Deps = { readonly registry: Pick<Registry, 'find' | 'register'>; readonly log: Log }

/**
 * Returns one sentence per contract with a problem.
 * @throws AppError if the registry doesn't respond
 */
export async function checkRegistry(
  deps: Deps,
  contracts: readonly ContractRecord[],
): Promise<string[]> {
  const problems: string[] = []
  for (let start = 0; start < contracts.length; start += atOnceMax) {
    const checks = contracts
      .slice(start, start + atOnceMax)
      .map((contract) => checkContract(deps, contract))
    problems.push(...(await Promise.all(checks)).filter((problem) => problem !== undefined))
  }
  return problems
}

async function checkContract(
  { registry, log }: Deps,
  { billingId, id, subject, schemaText, registryId }: ContractRecord,
): Promise<string | undefined> {
  let found = await registry.find(subject, schemaText)
  if (found === undefined) {
    found = await registerAgain(registry, subject, schemaText)
    if (found === undefined)
      return `the registry has lost the schema of contract ${id} of ${billingId} and does not accept it again`
    log.warn(
      { subject, registryId: found.id },
      'the registry had lost a schema; it was registered again',
    )
  }
  if (found.id === registryId) return undefined
  return `the registry knows the schema of contract ${id} of ${billingId} by the id ${found.id}, its events by ${registryId}`
}

/** Returns undefined if the subject's compatibility rules or its current versions do not permit the registration. */
async function registerAgain(
  registry: Deps['registry'],
  subject: string,
  schemaText: string,
): Promise<SchemaPlace | undefined> {
  try {
    return await registry.register(subject, schemaText)
  } catch (error) {
    if (hasCode(error, 'registry.incompatible', 'registry.invalid_schema')) return undefined
    throw error
  }
}
