// What `npm test` runs: the static checks, the unit tests, then, unless `--unit` is given, the integration
// tests against one real broker and registry. Everything runs to its end, so that all failures are seen
// at once. Other arguments go to jest (`npm test -- packages/kafka`), which then runs without the static
// checks. The last line is the count.

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { onStopWish } from '@weir/devstack'

import { runIntegrationTests } from './test-run/integration.ts'
import { runJest } from './test-run/jest.ts'
import type { JestRun } from './test-run/jest.ts'
import { NOTHING, runStaticChecks } from './test-run/static-checks.ts'
import type { Tally } from './test-run/static-checks.ts'

const args = process.argv.slice(2)
const unitOnly = args.includes('--unit')
const jestArgs = args.filter((arg) => arg !== '--unit')
const interrupted = onStopWish()

const folder = await mkdtemp(join(tmpdir(), 'weir-test-'))
try {
  process.exitCode = await testAll()
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exit()

async function testAll(): Promise<number> {
  const run: JestRun = {
    config: 'jest.config.js',
    args: jestArgs,
    folder,
    signal: interrupted,
  }
  const checks = jestArgs.length > 0 ? NOTHING : await runStaticChecks(interrupted)
  const tests = [await runJest(run)]
  if (!unitOnly) tests.push(await runIntegrationTests(run))
  if (interrupted.aborted) return 130

  const ran = sum(tests)
  const { passed, failed, skipped } = sum([checks, ran])
  if (ran.passed + ran.failed === 0) console.log('No test ran.')
  console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  return failed > 0 || ran.passed === 0 ? 1 : 0
}

function sum(tallies: readonly Tally[]): Tally {
  const total = { ...NOTHING }
  for (const { passed, failed, skipped } of tallies) {
    total.passed += passed
    total.failed += failed
    total.skipped += skipped
  }
  return total
}
