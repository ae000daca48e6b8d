// The consent levels that are used in a stream. Pure.
import type { Contract, Output } from '../api/account.ts'
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
  /** Levels with a name. Events may have them although nothing uses them. */
  named: readonly number[] = [],
): readonly KnownLevel[] {
  const fields = contracts.flatMap(({ levels }) => [...levels])
  const all = new Set([
    ...outputs.flatMap(({ levels }) => levels),
    ...fields.map(([, level]) => level),
    ...named,
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
 * «customer/id of level 0; mail, phone of level 2 (marketing e-mails)»: the personal fields of the contracts, or only some
 * of them.
 */
export function fieldsByLevel(
  contracts: readonly Pick<Contract, 'levels'>[],
  words: LevelWords,
  only?: readonly string[],
): string {
  const known = contracts.flatMap(({ levels }) => [...levels])
  const wanted = known.filter(([path]) => only?.includes(path) ?? true)
  const byLevel = [...Map.groupBy(wanted, ([, level]) => level)].toSorted(([a], [b]) => a - b)
  const others = only?.filter((path) => !known.some(([each]) => each === path)) ?? []
  return [
    ...byLevel.map(
      ([level, of]) =>
        `${[...new Set(of.map(([path]) => path))].join(', ')} of level ${words(level)}`,
    ),
    ...others,
  ].join('; ')
}

type Naming = Pick<Contract, 'id' | 'keyField' | 'subjectField' | 'levels' | 'schema'>

/**
 * The fields by which people can be found, together and by contract; and, by contract, the other personal fields and
 * the fields that are not personal. Long lists are shortened for people.
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
