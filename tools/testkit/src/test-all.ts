// `npm test`: runs the static checks, then the tests that need no broker. If all pass, it runs the other tests against
// one real broker and registry. `--unit` skips these other tests. `--all` runs them also after failures. A few failed
// files get a second try (test-run/second-tries.ts). Other arguments go to jest (`npm test -- packages/kafka`). Then
// only the files that they name run, each once, without static checks. `--watch` runs jest whenever a file changes. The
// last line shows the counts.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { holdMachine, onStopWish } from '@weir/devstack'

import { scale } from './scale.ts'
import { sumOf } from './test-run/files.ts'
import { checkGuarantees } from './test-run/guarantees.ts'
import { openIntegrationWorld } from './test-run/integration.ts'
import { runFile, runJest, watchWithJest } from './test-run/jest.ts'
import { createParts, filesOf, secondsOf, partTableOf } from './test-run/parts.ts'
import {
  afterRun,
  createSecondTries,
  keep,
  overdue,
  readKept,
  toldOf,
} from './test-run/second-tries.ts'
import { keepSeconds } from './test-run/seconds.ts'
import { isSoaked } from './test-run/soaked.ts'
import { NOTHING, runStaticChecks } from './test-run/static-checks.ts'
import { suitesWanted } from './test-run/suites.ts'
import type { Suite } from './test-run/suites.ts'

const args = process.argv.slice(2)
const unitOnly = args.includes('--unit')
const runsAll = args.includes('--all')
const jestArgs = args.filter((arg) => arg !== '--unit' && arg !== '--all')
/** If no arguments go to jest, everything must run. */
const isWhole = jestArgs.length === 0
const signal = onStopWish()

const parts = createParts()
const secondTries = createSecondTries(parts)

const folder = await mkdtemp(join(tmpdir(), 'weir-test-'))
try {
  process.exitCode = args.some(isWatch) ? await watch() : await testAll()
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exit()

async function testAll(): Promise<number> {
  await holdMachine('npm test', { signal })
  const wanted = { unitOnly, isLeftOut: (file: string) => isWhole && scale(false, isSoaked(file)) }
  const suites = await suitesWanted({ args: jestArgs, folder, signal }, wanted)
  const [early, late] = [suites.filter((suite) => !needsWorld(suite)), suites.filter(needsWorld)]
  if (isWhole) await parts.run('static checks', () => runStaticChecks(signal))
  await runSuites(early, {})
  const goesOn = runsAll || !isWhole || sumOf(parts.all()).failed === 0
  if (goesOn) await runInWorld(late)
  if (goesOn && isWhole && !unitOnly) await parts.run('guarantees', checkThem)
  if (signal.aborted) return 130

  await keepSeconds(secondsOf(parts.all()))
  if (isWhole) await closeWhole()
  if (!goesOn && late.length > 0)
    console.log('The rest did not run, as this failed; --all runs it.')
  if (suites.length === 0) console.log('No test ran.')
  if (failedOfSoak())
    console.log(
      'A failed test belongs to npm run soak. For its programs: WEIR_TEST_SCALE=full npm test -- <file>',
    )
  const { passed, failed, skipped } = sumOf(parts.all())
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed > 0 || suites.length === 0 ? 1 : 0
}

/** Whether a test failed that needs programs which only the preparation of the soak installs. */
function failedOfSoak(): boolean {
  const outcomes = Object.entries(filesOf(parts.all()))
  return scale(
    false,
    outcomes.some(([file, { failed }]) => failed > 0 && isSoaked(file)),
  )
}

function checkThem() {
  return checkGuarantees(filesOf(parts.all()), scale(true, false))
}

async function runInWorld(suites: readonly Suite[]): Promise<void> {
  if (suites.length === 0) return
  const world = await openWorldFor(suites)
  if (world) await runSuites(suites, world.env)
  else await parts.run('what they need', async () => ({ ...NOTHING, failed: 1 }))
  await world?.stop()
}

async function runSuites(suites: readonly Suite[], env: NodeJS.ProcessEnv): Promise<void> {
  for (const { name, run } of suites) await parts.run(name, () => runJest({ ...run, env }))
  if (!isWhole) return
  await secondTries.run((file, part) => {
    const suite = suites.find(({ name }) => name === part)
    return suite ? runFile({ ...suite.run, env }, file) : undefined
  })
}

/** Saves which files needed a second try, and prints the table. Only for a whole run. */
async function closeWhole(): Promise<void> {
  const needed = secondTries.needed()
  const kept = afterRun(await readKept(), filesOf(parts.all()), needed)
  await keep(kept)
  console.log(`\n${partTableOf(parts.all())}\n`)
  for (const line of toldOf(needed)) console.log(line)
  for (const file of overdue(kept, needed)) {
    console.log(`${file} needed it in three runs in a row. Correct the test, or what it found.`)
    await parts.run('too many second tries', async () => ({ ...NOTHING, failed: 1 }))
  }
}

/** Runs the first matching suite, and runs it again whenever a file changes. */
async function watch(): Promise<number> {
  const listed = jestArgs.filter((arg) => !isWatch(arg))
  const [suite] = await suitesWanted(
    { args: listed, folder, signal },
    { unitOnly, isLeftOut: () => false },
  )
  if (suite === undefined) {
    console.log('There is no such test.')
    return 1
  }
  const world = needsWorld(suite) ? await openWorldFor([suite]) : undefined
  const code = await watchWithJest({ ...suite.run, args: jestArgs, env: world?.env })
  await world?.stop()
  return code
}

function needsWorld({ integrating }: Suite): boolean {
  return integrating > 0
}

function openWorldFor(suites: readonly Suite[]) {
  const files = suites.reduce((sum, { integrating }) => sum + integrating, 0)
  return openIntegrationWorld({ folder, withServices: files > 1, signal })
}

function isWatch(arg: string): boolean {
  return arg.startsWith('--watch')
}
