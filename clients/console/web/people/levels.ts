// The consent levels that are used in a stream. Pure.
import type { Contract, Output } from '../api/account.ts'

export type KnownLevel = {
  readonly level: number
  /** The outputs that require this level. */
  readonly outputs: readonly string[]
  /** The fields with this level, in any of the contracts. */
  readonly fields: readonly string[]
  /** Outputs that decrypt fields of this level. */
  readonly decryptedIn: readonly string[]
}

export function levelsIn(
  outputs: readonly Pick<Output, 'name' | 'levels' | 'type'>[],
  contracts: readonly Pick<Contract, 'levels'>[],
): readonly KnownLevel[] {
  const fields = contracts.flatMap(({ levels }) => [...levels])
  const all = new Set([
    ...outputs.flatMap(({ levels }) => levels),
    ...fields.map(([, level]) => level),
  ])
  return [...all]
    .toSorted((a, b) => a - b)
    .map((level) => ({
      level,
      outputs: outputs.filter(({ levels }) => levels.includes(level)).map(({ name }) => name),
      fields: [...new Set(fields.filter(([, of]) => of === level).map(([path]) => path))],
      decryptedIn: outputs.filter((output) => decrypts(output, level)).map(({ name }) => name),
    }))
}

const decrypts = ({ levels, type }: Pick<Output, 'levels' | 'type'>, level: number): boolean =>
  type === 'CUMULATIVE' ? level <= (levels[0] ?? -1) : levels.includes(level)

/** The fields by which people can be found, and the other personal fields; each once, and no more than fit a sentence. */
export function searchFields(
  contracts: readonly Pick<Contract, 'keyField' | 'subjectField' | 'levels'>[],
): { readonly naming: readonly string[]; readonly others: readonly string[] } {
  const naming = new Set(
    contracts.flatMap(({ keyField, subjectField }) => [keyField, subjectField]),
  )
  const personal = new Set(contracts.flatMap(({ levels }) => [...levels.keys()]))
  return {
    naming: shortened([...naming].filter((field) => field !== '')),
    others: shortened([...personal].filter((field) => !naming.has(field))),
  }
}

const fieldsMax = 12
const shortened = (fields: readonly string[]): readonly string[] =>
  fields.length > fieldsMax ? [...fields.slice(0, fieldsMax), '…'] : fields
