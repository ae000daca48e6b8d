// Tests of artefacts: of what is built, packed or rendered from other files. `npm test` leaves one out while its inputs are as
// they were when it last passed, and says so. Continuous integration and `npm run soak` run all of them, and whoever names a
// file runs it.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { REPOSITORY } from '@weir/devstack'
import { z } from 'zod'

import { NOTHING } from './static-checks.ts'
import type { Tally } from './static-checks.ts'

/** A test file, or a folder of them, and what it depends on. */
export type Artefact = { tests: string; inputs: readonly string[] }

/** By the test file's path: the hash of its inputs when it last passed, and how many tests it has. */
export type Passed = Readonly<Record<string, { hash: string; tests: number }>>

const run = promisify(execFile)
const KEPT = join(REPOSITORY, '.weir', 'artefacts-passed.json')
const TEST = /\.integration\.test\.ts$/

const PROGRAMS = ['packages', 'services', 'clients', 'examples', 'tools/devstack', 'tools/testkit']
const INSTALLED = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml']
const DEPLOYED = ['k8s', 'docs/operations.md', 'docs/runbooks', 'Dockerfile', '.dockerignore']
const RUN_BY = ['docker-compose.yml', '.github', '.ci']

export const ARTEFACTS: readonly Artefact[] = [
  {
    tests: 'tools/manifests/test/',
    inputs: ['tools/manifests', ...PROGRAMS, ...INSTALLED, ...DEPLOYED, ...RUN_BY],
  },
  {
    tests: 'clients/node/test/package.integration.test.ts',
    inputs: ['tools/docs/src', ...PROGRAMS, ...INSTALLED],
  },
  {
    tests: 'tools/docs/test/openapi/',
    inputs: ['tools/docs', 'docs/openapi', ...PROGRAMS, ...INSTALLED],
  },
]

export type Unchanged = {
  files: readonly string[]
  /** Those left out count as skipped. */
  tally: Tally
  /** For the end of the closing table; empty when none is left out. */
  told: string
  /** Notes what has passed as a whole. */
  keep(whole: Readonly<Record<string, number>>): Promise<void>
}

/** With `all`, in continuous integration and at full scale none is left out. */
export async function lookForUnchanged({ all }: { all: boolean }): Promise<Unchanged> {
  const [hashes, passed] = await Promise.all([artefactHashes(), readPassed()])
  const { CI, WEIR_TEST_SCALE } = process.env
  const runsAll = all || Boolean(CI) || WEIR_TEST_SCALE === 'full'
  const files = runsAll ? [] : unchanged(hashes, passed)
  const skipped = files.reduce((sum, file) => sum + (passed[file]?.tests ?? 0), 0)
  return {
    files,
    tally: { ...NOTHING, skipped },
    told: toldOf(files, skipped),
    async keep(whole) {
      await keepPassed(withPassed(await readPassed(), hashes, whole))
    },
  }
}

function toldOf(files: readonly string[], tests: number): string {
  if (files.length === 0) return ''
  const why = 'not run, because their inputs have not changed since they passed'
  return `\n${tests} tests in ${files.length} files ${why}:\n${files.join('\n')}\n`
}

/** Test files of artefacts with the hash of their inputs now; none where git can't list the files. */
export async function artefactHashes(
  artefacts = ARTEFACTS,
  root = REPOSITORY,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>()
  const files = await listFiles(root)
  for (const { tests, inputs } of artefacts) {
    const ours = files.filter((file) => file.startsWith(tests) && TEST.test(file))
    const read = files.filter((file) => isInput(file, inputs, dirname(`${tests}x`)))
    const hash = await hashOf(root, read)
    for (const file of ours) found.set(file, hash)
  }
  return found
}

/** What needn't run again. */
export function unchanged(hashes: ReadonlyMap<string, string>, passed: Passed): string[] {
  return [...hashes].filter(([file, hash]) => passed[file]?.hash === hash).map(([file]) => file)
}

/** What has passed with these inputs, added to what is known. */
export function withPassed(
  known: Passed,
  hashes: ReadonlyMap<string, string>,
  tests: Readonly<Record<string, number>>,
): Passed {
  const added = [...hashes].flatMap(([file, hash]) =>
    tests[file] === undefined ? [] : [[file, { hash, tests: tests[file] }] as const],
  )
  return { ...known, ...Object.fromEntries(added) }
}

const passedForm = z.record(z.string(), z.object({ hash: z.string(), tests: z.number() }))

/** What is not there, or torn, is as good as never kept. */
export async function readPassed(file = KEPT): Promise<Passed> {
  try {
    return passedForm.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return {}
  }
}

export async function keepPassed(passed: Passed, file = KEPT): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(passed, undefined, 1)}\n`)
  await rename(draft, file)
}

/** Tracked ones, and new ones that aren't ignored. */
async function listFiles(root: string): Promise<string[]> {
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard']
  const { stdout } = await run('git', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 }).catch(
    () => ({ stdout: '' }),
  )
  return [...new Set(stdout.split('\0'))].filter((file) => file !== '').toSorted()
}

/** The tests of other rooms prove nothing about an artefact. */
function isInput(file: string, inputs: readonly string[], own: string): boolean {
  const isBelow = (folder: string) => file === folder || file.startsWith(`${folder}/`)
  return inputs.some(isBelow) && (!file.includes('/test/') || isBelow(own))
}

async function hashOf(root: string, files: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(`${process.platform} ${process.version}\n`)
  for (const file of files) {
    // A deleted file is still listed until that is committed.
    const content = await readFile(join(root, file)).catch(() => undefined)
    if (content !== undefined) hash.update(`${file} ${content.length}\n`).update(content)
  }
  return hash.digest('hex')
}
