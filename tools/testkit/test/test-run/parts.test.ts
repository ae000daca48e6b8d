import { expect, test } from '@jest/globals'

import { sumOf } from '../../src/test-run/files.ts'
import { createParts, secondsOf, partTableOf } from '../../src/test-run/parts.ts'

const checks = { passed: 4, failed: 1, skipped: 0 }
const good = { passed: 6, failed: 0, skipped: 1, seconds: 3, passes: [], failures: [] }
const bad = { passed: 4, failed: 1, skipped: 1, seconds: 4.25, passes: [], failures: ['it works'] }
const tests = { passed: 10, failed: 1, skipped: 2, files: { 'a.test.ts': good, 'b.test.ts': bad } }

async function ranParts() {
  let nowMs = 0
  const parts = createParts(() => nowMs)
  const after = (ms: number) => (nowMs += ms)
  await parts.run('static checks', async () => (after(30_000), checks))
  await parts.run('unit tests', async () => (after(5_500), tests))
  return parts
}

test('what the parts counted is added up', async () => {
  expect(sumOf((await ranParts()).all())).toEqual({ passed: 14, failed: 2, skipped: 2 })
})

test('the seconds of all files stand together', async () => {
  expect(secondsOf((await ranParts()).all())).toEqual({ 'a.test.ts': 3, 'b.test.ts': 4.25 })
})

test('what a file came to at its second try counts instead of the first', async () => {
  const parts = await ranParts()
  parts.replace('b.test.ts', { ...bad, passed: 5, failed: 0, passes: [], failures: [] })
  expect(sumOf(parts.all())).toEqual({ passed: 15, failed: 1, skipped: 2 })
})

test('the table has a line for each part, then the files that took longest', async () => {
  expect(partTableOf((await ranParts()).all()).split('\n')).toEqual([
    'static checks             30.0 s  5 checks',
    'unit tests                 5.5 s  11 tests in 2 files',
    'together                  35.5 s',
    '    4.3 s  b.test.ts',
    '    3.0 s  a.test.ts',
  ])
})
