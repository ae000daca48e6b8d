// The consent levels that are used in a stream. Pure.
import type { Contract, Output } from '../api/account.ts'
import type { PersonalField } from '../api/held.ts'
import { schemaFieldsOf } from '../contracts/schema-fields.ts'
import type { LevelWords } from '../purposes/level-words.ts'

export type KnownLevel = {
  readonly level: number
  /** The outputs that require this level. */
  readonly outputs: readonly string[]
  /** The fields with this level, in any of the contracts. */
  readonly fields: readonly string[]
}

export function levelsIn(
  outputs: readonly Pick<Output, 'name' | 'levels'>[],
  contracts: readonly Pick<Contract, 'levels'>[],
  /** Other levels: those of events, and those with a name. */
  more: readonly number[] = [],
): readonly KnownLevel[] {
  const fields = contracts.flatMap(({ levels }) => [...levels])
  const all = new Set([
    ...outputs.flatMap(({ levels }) => levels),
    ...fields.map(([, level]) => level),
    ...more,
  ])
  return [...all]
    .toSorted((a, b) => a - b)
    .map((level) => ({
      level,
      outputs: outputs.filter(({ levels }) => levels.includes(level)).map(({ name }) => name),
      fields: [...new Set(fields.filter(([, of]) => of === level).map(([path]) => path))],
    }))
}

export const levelsInWords = (
  { levels, type }: Pick<Output, 'levels' | 'type'>,
  words: LevelWords,
): string => `${type === 'CUMULATIVE' ? 'up to level' : 'level'} ${levels.map(words).join(', ')}`

/**
 * Returns «customer/id of level 0; mail, phone of level 2 (marketing e-mails)». Adds the contracts if a field has
 * several levels.
 */
export function fieldsByLevel(fields: readonly PersonalField[], words: LevelWords): string {
  const levelsOf = (path: string): number =>
    new Set(fields.filter((field) => field.path === path).map(({ level }) => level)).size
  const named = (path: string, of: readonly PersonalField[]): string =>
    levelsOf(path) === 1 ? path : `${path} (${of.map(({ contract }) => contract).join(', ')})`
  return [...Map.groupBy(fields, ({ level }) => level)]
    .toSorted(([a], [b]) => a - b)
    .map(([level, of]) => {
      const paths = [...Map.groupBy(of, ({ path }) => path)].map(([path, same]) =>
        named(path, same),
      )
      return `${paths.join(', ')} of level ${words(level)}`
    })
    .join('; ')
}

export const personalFieldsOf = (
  contracts: readonly Pick<Contract, 'id' | 'levels'>[],
): readonly PersonalField[] =>
  contracts.flatMap(({ id, levels }) =>
    [...levels].map(([path, level]) => ({ contract: id, path, level })),
  )

type Naming = Pick<Contract, 'id' | 'keyField' | 'subjectField' | 'levels' | 'schema'>

/**
 * Lists the fields by which people can be found, for all contracts and for each. For each contract, also lists other
 * personal fields, and fields that are not personal. Shortens long lists.
 */
export function searchFields(contracts: readonly Naming[]) {
  const naming = new Set(contracts.flatMap(fieldsNaming))
  return {
    naming: shortened([...naming]),
    contracts: contracts.map((contract) => {
      const by = fieldsNaming(contract)
      const personal = [...contract.levels.keys()]
      const others = personal.filter((field) => !by.includes(field))
      const plain = schemaFieldsOf(contract.schema)
        .map(({ path }) => path)
        .filter((path) => !personal.some((field) => `${field}/`.startsWith(`${path}/`)))
      const { id, levels } = contract
      return { id, by, not: shortened(others), plain: shortened(plain), levels }
    }),
  }
}

const fieldsNaming = ({ keyField, subjectField }: Naming): readonly string[] =>
  [keyField, subjectField].filter((field) => field !== '')

const fieldsMax = 12
const shortened = (fields: readonly string[]): readonly string[] =>
  fields.length > fieldsMax ? [...fields.slice(0, fieldsMax), '…'] : fields
