// Before auth is ready (docs/architecture.md 12): the registry must still know the schema of each contract
// by the id that stands in the stored events. What it has lost is registered again; another id for it
// would make those events unreadable for everyone else, so auth stays unready then.
import type { Registry } from '@weir/kafka'
import type { Log } from '@weir/kit'
import type { ContractRecord, StateFollower } from '@weir/streams'

const atOnceMax = 8

/** What is wrong, one sentence for each contract. @throws AppError when the registry doesn't answer */
export async function checkRegistry(deps: {
  follower: { tables: Pick<StateFollower['tables'], 'contracts'> }
  registry: Registry
  log: Log
}): Promise<string[]> {
  const contracts = [...deps.follower.tables.contracts()]
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
  { registry, log }: { registry: Registry; log: Log },
  { billingId, id, subject, schemaText, registryId }: ContractRecord,
): Promise<string | undefined> {
  let found = await registry.find(subject, schemaText)
  if (found === undefined) {
    found = (await registry.register(subject, schemaText)).id
    log.warn(
      { subject, registryId: found },
      'the registry had lost a schema; it is registered again',
    )
  }
  if (found === registryId) return undefined
  return `the registry knows the schema of contract ${id} of ${billingId} by the id ${found}, its events by ${registryId}`
}
