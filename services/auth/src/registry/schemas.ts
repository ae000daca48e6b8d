// An account's schemas, with their ids and versions in the registry, from the account's contracts alone. Other schemas
// in the registry are not included.
import type { ContractRecord } from '@weir/control-state'
import { count, string } from '@weir/http-api'
import { z } from 'zod'

const place = { subject: string, version: count }
export const schemaVersion = z.strictObject({ ...place, id: count, schema: string })
export type SchemaVersion = z.infer<typeof schemaVersion>

/** Sorted by subject, then by version. Each version appears once, even if several contracts have it. */
export function schemasOf(contracts: readonly ContractRecord[]): readonly SchemaVersion[] {
  const byPlace = new Map<string, SchemaVersion>()
  // Contracts of one version may write its schema differently. The registry has the text of the first contract.
  const oldestFirst = contracts.toSorted((a, b) => a.createdAtMs - b.createdAtMs)
  for (const { subject, registryVersion: version, registryId: id, schemaText } of oldestFirst) {
    const place = `${subject}/${version}`
    if (!byPlace.has(place)) byPlace.set(place, { subject, version, id, schema: schemaText })
  }
  return [...byPlace.values()].sort(
    (a, b) => compare(a.subject, b.subject) || a.version - b.version,
  )
}

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b))

export const subjectsIn = (schemas: readonly SchemaVersion[]): readonly string[] => [
  ...new Set(schemas.map(({ subject }) => subject)),
]
