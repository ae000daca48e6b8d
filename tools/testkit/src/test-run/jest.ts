// Runs jest under one of the two configurations and counts its tests. A suite that can't even be loaded
// counts as one failure, and so does a run that ends badly although each test passed.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { NOTHING } from './static-checks.ts'
import type { Tally } from './static-checks.ts'
import { REPOSITORY, runNode } from './tools.ts'

/** A slow machine takes its time; continuous integration has an hour and a half for all. */
const TIMEOUT_MS = 75 * 60_000
const NODE_OPTIONS = '--experimental-vm-modules --disable-warning=ExperimentalWarning'

export type JestRun = {
  config: 'jest.config.js' | 'jest.integration.config.js'
  /** What the caller handed on to jest: path patterns and options. */
  args: readonly string[]
  /** A folder for the results. */
  folder: string
  env?: NodeJS.ProcessEnv
  signal: AbortSignal
}

/** True as well when jest can't tell: the run will show why. */
export async function hasTests(run: JestRun): Promise<boolean> {
  const args = jestArgs(run, '--listTests', '--passWithNoTests')
  const { code, output } = await runNode(args, { ...toolOptions(run), output: 'collect' })
  return code !== 0 || /\.test\.ts$/m.test(output)
}

export async function runJest(run: JestRun): Promise<Tally> {
  const file = join(run.folder, `${run.config}.json`)
  const args = jestArgs(run, '--passWithNoTests', '--json', '--outputFile', file)
  const { code } = await runNode(args, { ...toolOptions(run), output: 'inherit' })
  const seen = await readResults(file)
  if (seen === undefined) {
    console.log(`jest --config ${run.config} ended with ${code} and left no results`)
    return { ...NOTHING, failed: 1 }
  }
  return { ...seen, failed: code === 0 ? seen.failed : Math.max(1, seen.failed) }
}

function jestArgs(run: JestRun, ...options: string[]): string[] {
  const jest = join(REPOSITORY, 'node_modules', 'jest', 'bin', 'jest.js')
  return [jest, '--config', run.config, '--ci', ...options, ...run.args]
}

function toolOptions(run: JestRun) {
  return { env: { ...run.env, NODE_OPTIONS }, signal: run.signal, timeoutMs: TIMEOUT_MS }
}

async function readResults(file: string): Promise<Tally | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  const results: unknown = JSON.parse(text)
  const failed = [count(results, 'numFailedTests'), count(results, 'numRuntimeErrorTestSuites')]
  const passed = count(results, 'numPassedTests')
  const skipped = [count(results, 'numPendingTests'), count(results, 'numTodoTests')]
  if (passed === undefined || failed[0] === undefined || failed[1] === undefined) return undefined
  return {
    passed,
    failed: failed[0] + failed[1],
    skipped: (skipped[0] ?? 0) + (skipped[1] ?? 0),
  }
}

function count(results: unknown, name: string): number | undefined {
  const value: unknown = Object.entries(results ?? {}).find(([key]) => key === name)?.[1]
  return typeof value === 'number' ? value : undefined
}
