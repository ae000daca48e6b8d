// Runs jest under one of its configurations, counts its tests and notes how long each file took. A suite that can't even be
// loaded counts as one failure, and so does a run that ends badly although each test passed.

import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

import { z } from 'zod'

import type { Seconds } from './seconds.ts'
import { NOTHING } from './static-checks.ts'
import type { Tally } from './static-checks.ts'
import { REPOSITORY } from '@weir/devstack'
import { runNode } from './tools.ts'

/** A slow machine takes its time; continuous integration has an hour and a half for all. */
const TIMEOUT_MS = 75 * 60_000
/** Beside what a debugger has asked for. */
const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`

export type JestConfig =
  | 'jest.config.js'
  | 'jest.integration.config.js'
  | 'jest.measuring.config.js'

export type JestRun = {
  config: JestConfig
  /** What the caller handed on to jest: path patterns and options. */
  args: readonly string[]
  /** A folder for the results. */
  folder: string
  env?: NodeJS.ProcessEnv | undefined
  signal: AbortSignal
}

export type JestOutcome = Tally & {
  seconds: Seconds
  /** How many tests each file has that passed as a whole. */
  whole: Readonly<Record<string, number>>
}

/** The test files that would run; undefined when jest can't tell: the run will show why. */
export async function listTests(run: JestRun): Promise<string[] | undefined> {
  const args = jestArgs(run, '--ci', '--listTests', '--passWithNoTests')
  const { code, output } = await runNode(args, { ...toolOptions(run), output: 'collect' })
  return code === 0 ? (output.match(/^.+\.test\.ts$/gm) ?? []) : undefined
}

export async function runJest(run: JestRun): Promise<JestOutcome> {
  const file = join(run.folder, `${run.config}.json`)
  const args = jestArgs(run, '--ci', '--passWithNoTests', '--json', '--outputFile', file)
  const { code } = await runNode(args, { ...toolOptions(run), output: 'inherit' })
  const seen = await readResults(file)
  if (seen === undefined) {
    console.log(`jest --config ${run.config} ended with ${code} and left no results`)
    return { ...NOTHING, failed: 1, seconds: {}, whole: {} }
  }
  return { ...seen, failed: code === 0 ? seen.failed : Math.max(1, seen.failed) }
}

/** Until whoever sits at the terminal has enough. */
export async function watchWithJest(run: JestRun): Promise<number> {
  const options = { ...toolOptions(run), timeoutMs: undefined }
  const { code } = await runNode(jestArgs(run), { ...options, output: 'inherit', input: 'inherit' })
  return code
}

function jestArgs(run: JestRun, ...options: string[]): string[] {
  const jest = join(REPOSITORY, 'node_modules', 'jest', 'bin', 'jest.js')
  return [jest, '--config', run.config, ...options, ...run.args]
}

function toolOptions(run: JestRun) {
  return { env: { ...run.env, NODE_OPTIONS }, signal: run.signal, timeoutMs: TIMEOUT_MS }
}

const count = z.number()
const resultsForm = z.object({
  numPassedTests: count,
  numFailedTests: count,
  numRuntimeErrorTestSuites: count,
  numPendingTests: count,
  numTodoTests: count,
  testResults: z.array(
    z.object({
      name: z.string(),
      startTime: count,
      endTime: count,
      status: z.string(),
      assertionResults: z.array(z.unknown()),
    }),
  ),
})

async function readResults(file: string): Promise<JestOutcome | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  const { data } = resultsForm.safeParse(JSON.parse(text))
  if (data === undefined) return undefined
  const timed = data.testResults.map(({ name, startTime, endTime }): [string, number] => [
    relative(REPOSITORY, name),
    (endTime - startTime) / 1000,
  ])
  const whole = data.testResults
    .filter(({ status }) => status === 'passed')
    .map(({ name, assertionResults }): [string, number] => [
      relative(REPOSITORY, name),
      assertionResults.length,
    ])
  return {
    passed: data.numPassedTests,
    failed: data.numFailedTests + data.numRuntimeErrorTestSuites,
    skipped: data.numPendingTests + data.numTodoTests,
    seconds: Object.fromEntries(timed),
    whole: Object.fromEntries(whole),
  }
}
