// Runs jest under one of its configurations, counts its tests, and records how long each file took. A test file that
// can't be loaded counts as one failure. So does a run that fails although each test passed.

import { readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'

import { z } from 'zod'

import { REPOSITORY, startWatched } from '@weir/devstack'

import { sumOf } from './files.ts'
import type { FileOutcome, Files } from './files.ts'
import { NOTHING } from './static-checks.ts'
import type { Tally } from './static-checks.ts'
import { runNode, toolEnv } from './tools.ts'

/** Long enough for slow machines. Continuous integration permits an hour and a half for everything. */
const TIMEOUT_MS = 75 * 60_000
/** Keeps options that are already set, such as a debugger's. */
const NODE_OPTIONS = `${process.env['NODE_OPTIONS'] ?? ''} --experimental-vm-modules --disable-warning=ExperimentalWarning`

export type JestConfig =
  | 'jest.config.js'
  | 'jest.integration.config.js'
  | 'jest.measuring.config.js'

export type JestRun = {
  config: JestConfig
  /** Arguments passed on to jest: path patterns and options. */
  args: readonly string[]
  /** A folder for the results. */
  folder: string
  env?: NodeJS.ProcessEnv | undefined
  signal: AbortSignal
}

export type JestOutcome = Tally & { files: Files }

/** Returns the test files that would run, or undefined if jest can't list them. The run then shows why. */
export async function listTests(run: JestRun): Promise<string[] | undefined> {
  const args = jestArgs(run, '--ci', '--listTests', '--passWithNoTests')
  const { code, output } = await runNode(args, { ...toolOptions(run), output: 'collect' })
  return code === 0 ? (output.match(/^.+\.test\.ts$/gm) ?? []) : undefined
}

export async function runJest(run: JestRun): Promise<JestOutcome> {
  const file = join(run.folder, `${run.config}.json`)
  const args = jestArgs(run, '--ci', '--passWithNoTests', '--json', '--outputFile', file)
  const code = await runWatched(args, run)
  const files = await readResults(file)
  if (files === undefined) {
    console.log(`jest --config ${run.config} ended with ${code} and left no results`)
    return { ...NOTHING, failed: 1, files: {} }
  }
  const seen = sumOf(Object.values(files))
  return { ...seen, failed: code === 0 ? seen.failed : Math.max(1, seen.failed), files }
}

/** Runs jest. jest, its workers and their descendants end when this process ends, even if it is killed. */
async function runWatched(args: readonly string[], run: JestRun): Promise<number> {
  const { env, signal, timeoutMs } = toolOptions(run)
  const jest = await startWatched({
    command: process.execPath,
    args,
    env: toolEnv(env),
    cwd: REPOSITORY,
    output: process.stdout.fd,
    graceMs: 0,
  })
  const end = () => void jest.kill()
  signal.addEventListener('abort', end)
  const timer = setTimeout(end, timeoutMs)
  const code = await jest.exited
  clearTimeout(timer)
  signal.removeEventListener('abort', end)
  return code
}

/** Runs one file alone. */
export async function runFile(run: JestRun, file: string): Promise<FileOutcome> {
  console.log(`\nA second try of ${file}`)
  const { files } = await runJest({ ...run, args: ['--runInBand', '--runTestsByPath', file] })
  const failures = ['the file as a whole']
  return files[file] ?? { ...NOTHING, failed: 1, seconds: 0, passes: [], failures }
}

/** Runs until the user stops it. */
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

const resultsForm = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      startTime: z.number(),
      endTime: z.number(),
      status: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

type FileResult = z.infer<typeof resultsForm>['testResults'][number]

async function readResults(file: string): Promise<Files | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '{}')
  const { data } = resultsForm.safeParse(JSON.parse(text))
  return (
    data &&
    Object.fromEntries(
      data.testResults.map((result) => [relative(REPOSITORY, result.name), outcomeOf(result)]),
    )
  )
}

/** If a file failed without a failed test, it could not be loaded, or its hooks failed. */
function outcomeOf({ status, assertionResults, startTime, endTime }: FileResult): FileOutcome {
  const namesOf = (wanted: string) =>
    assertionResults.filter((each) => each.status === wanted).map(({ fullName }) => fullName)
  const [passes, failures] = [namesOf('passed'), namesOf('failed')]
  if (status === 'failed' && failures.length === 0) failures.push('the file as a whole')
  const [passed, failed] = [passes.length, failures.length]
  const skipped = Math.max(0, assertionResults.length - passed - failed)
  return { passed, failed, skipped, passes, failures, seconds: (endTime - startTime) / 1000 }
}
