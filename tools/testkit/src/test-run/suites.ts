// The three runs of jest that a test run consists of, as far as there is anything for them to run.

import { relative } from 'node:path'

import { REPOSITORY } from '@weir/devstack'

import { listTests } from './jest.ts'
import type { JestConfig, JestRun } from './jest.ts'

export type Suite = {
  name: string
  run: JestRun
  /** How many of its files want a broker and a registry; many when that can't be told. */
  integrating: number
}

const SUITES: readonly (readonly [name: string, config: JestConfig])[] = [
  ['unit tests', 'jest.config.js'],
  ['integration tests', 'jest.integration.config.js'],
  ['what measures, alone', 'jest.measuring.config.js'],
]
const NO_INTEGRATION = ['--testPathIgnorePatterns', '\\.integration\\.test\\.ts$']

export async function suitesWanted(
  { args, ...more }: Omit<JestRun, 'config'>,
  { unitOnly, leftOut }: { unitOnly: boolean; leftOut: readonly string[] },
): Promise<Suite[]> {
  const suites = SUITES.filter(([, config]) => !unitOnly || config !== 'jest.integration.config.js')
  const looked = suites.map(async ([name, config]) => {
    const isMixed = unitOnly && config === 'jest.measuring.config.js'
    const run = { ...more, config, args: isMixed ? [...args, ...NO_INTEGRATION] : args }
    const all = await listTests(run)
    const files = all?.filter((file) => !leftOut.includes(relative(REPOSITORY, file)))
    const isLess = all !== undefined && files !== undefined && files.length < all.length
    const unknown = unitOnly || config === 'jest.config.js' ? 0 : Infinity
    const integrating = files?.filter(isIntegration).length ?? unknown
    const byPath = { ...run, args: ['--runTestsByPath', ...(files ?? [])] }
    return { name, run: isLess ? byPath : run, integrating, isEmpty: files?.length === 0 }
  })
  return (await Promise.all(looked)).filter(({ isEmpty }) => !isEmpty)
}

const isIntegration = (file: string): boolean => file.endsWith('.integration.test.ts')
