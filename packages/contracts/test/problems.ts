// The problems that `prepareContract` reports for a definition.
import { definitionText, prepareContract } from '../src/index.ts'

export const prepare = (definition: unknown) =>
  prepareContract(definition, definitionText(definition))

export async function problemsOf(definition: unknown): Promise<readonly string[]> {
  const result = await prepare(definition)
  return 'problems' in result ? result.problems : []
}

export const list = (items: unknown) => ({ type: 'array', items })
export const levels = { name: 'consentLevels', type: list('int') }
