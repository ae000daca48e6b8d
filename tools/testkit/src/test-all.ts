// What `npm test` runs: the static checks, the unit tests, then, unless `--unit` is given, the integration tests against one
// real broker and registry, and what measures, alone. Everything runs to its end, so that all failures are seen at once.
// Other arguments go to jest (`npm test -- packages/kafka`), which then runs without the static checks; with `--watch` it
// runs again whenever a file changes. The last line is the count.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onStopWish } from '@weir/devstack'

import { lookForUnchanged } from './test-run/artefacts.ts'
import { openIntegrationWorld } from './test-run/integration.ts'
import { runJest, watchWithJest } from './test-run/jest.ts'
import { createParts, secondsOf, sumOf, tableOf, wholeOf } from './test-run/parts.ts'
import { keepSeconds } from './test-run/seconds.ts'
import { NOTHING, runStaticChecks } from './test-run/static-checks.ts'
import { suitesWanted } from './test-run/suites.ts'
import type { Suite } from './test-run/suites.ts'

const args = process.argv.slice(2)
const unitOnly = args.includes('--unit')
const jestArgs = args.filter((arg) => arg !== '--unit')
const signal = onStopWish()

const folder = await mkdtemp(join(tmpdir(), 'weir-test-'))
try {
  process.exitCode = args.some(isWatch) ? await watch() : await testAll()
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exit()

async function testAll(): Promise<number> {
  const parts = createParts()
  const artefacts = await lookForUnchanged({ all: jestArgs.length > 0 || unitOnly })
  const wanted = { unitOnly, leftOut: artefacts.files }
  const suites = await suitesWanted({ args: jestArgs, folder, signal }, wanted)
  if (jestArgs.length === 0) await parts.run('static checks', () => runStaticChecks(signal))
  // It gets ready while the unit tests run.
  const opening = openWorldFor(suites)
  for (const { name, run, integrating } of suites) {
    const env = integrating > 0 ? (await opening)?.env : {}
    await parts.run(name, async () => (env ? runJest({ ...run, env }) : { ...NOTHING, failed: 1 }))
  }
  await (await opening)?.stop()
  if (signal.aborted) return 130

  await keepSeconds(secondsOf(parts.all()))
  // A file that was run by name may have run in part.
  if (jestArgs.length === 0) await artefacts.keep(wholeOf(parts.all()))
  if (jestArgs.length === 0) console.log(`\n${tableOf(parts.all())}\n${artefacts.told}`)
  const { passed, failed, skipped } = sumOf([...parts.all(), artefacts.tally])
  if (suites.length === 0) console.log('No test ran.')
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed > 0 || suites.length === 0 ? 1 : 0
}

/** Runs the first of what fits, and again whenever a file changes. */
async function watch(): Promise<number> {
  const listed = jestArgs.filter((arg) => !isWatch(arg))
  const wanted = { unitOnly, leftOut: [] }
  const [suite] = await suitesWanted({ args: listed, folder, signal }, wanted)
  if (suite === undefined) {
    console.log('There is no such test.')
    return 1
  }
  const world = await openWorldFor([suite])
  const code = await watchWithJest({ ...suite.run, args: jestArgs, env: world?.env })
  await world?.stop()
  return code
}

function openWorldFor(suites: readonly Suite[]) {
  const files = suites.reduce((sum, { integrating }) => sum + integrating, 0)
  return files === 0 ? undefined : openIntegrationWorld({ folder, withServices: files > 1, signal })
}

function isWatch(arg: string): boolean {
  return arg.startsWith('--watch')
}
