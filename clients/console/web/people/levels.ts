// The consent levels that are used in a stream. Pure.
import type { Contract, Output } from '../api/account.ts'

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
    }))
}
