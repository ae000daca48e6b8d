// The three jest runs of a test run. A jest run without a matching file is skipped.

import { relative } from 'node:path'

import { REPOSITORY } from '@weir/devstack'

import { listTests } from './jest.ts'
import type { JestConfig, JestRun } from './jest.ts'

export type Suite = {
  name: string
  run: JestRun
  /** How many of the files need a broker and a registry; Infinity if unknown. */
  integrating: number
}

const SUITES: readonly (readonly [name: string, config: JestConfig])[] = [
  ['unit tests', 'jest.config.js'],
  ['integration tests', 'jest.integration.config.js'],
  ['measuring tests', 'jest.measuring.config.js'],
]

export async function suitesWanted(
  { args, ...more }: Omit<JestRun, 'config'>,
  { unitOnly, isLeftOut }: { unitOnly: boolean; isLeftOut: (file: string) => boolean },
): Promise<Suite[]> {
  const isWanted = (file: string): boolean =>
    !isLeftOut(relative(REPOSITORY, file)) && !(unitOnly && isIntegration(file))
  const suites = SUITES.filter(([, config]) => !unitOnly || config !== 'jest.integration.config.js')
  const looked = suites.map(async ([name, config]) => {
    const run = { ...more, config, args }
    const all = await listTests(run)
    const files = all?.filter((file) => isWanted(file))
    const isLess = all !== undefined && files !== undefined && files.length < all.length
    const unknown = unitOnly || config === 'jest.config.js' ? 0 : Infinity
    const integrating = files?.filter(isIntegration).length ?? unknown
    const byPath = { ...run, args: ['--runTestsByPath', ...(files ?? [])] }
    return { name, run: isLess ? byPath : run, integrating, isEmpty: files?.length === 0 }
  })
  return (await Promise.all(looked)).filter(({ isEmpty }) => !isEmpty)
}

const isIntegration = (file: string): boolean => file.endsWith('.integration.test.ts')
