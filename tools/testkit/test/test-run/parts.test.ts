import { expect, test } from '@jest/globals'

import { createParts, secondsOf, sumOf, tableOf } from '../../src/test-run/parts.ts'

const checks = { passed: 4, failed: 1, skipped: 0 }
const tests = { passed: 10, failed: 0, skipped: 2, seconds: { 'a.test.ts': 3, 'b.test.ts': 4.25 } }

async function ranParts() {
  let nowMs = 0
  const parts = createParts(() => nowMs)
  const after = (ms: number) => (nowMs += ms)
  await parts.run('static checks', async () => (after(30_000), checks))
  await parts.run('unit tests', async () => (after(5_500), tests))
  return parts.all()
}

test('what the parts counted is added up', async () => {
  expect(sumOf(await ranParts())).toEqual({ passed: 14, failed: 1, skipped: 2 })
})

test('the seconds of all files stand together', async () => {
  expect(secondsOf(await ranParts())).toEqual({ 'a.test.ts': 3, 'b.test.ts': 4.25 })
})

test('the table has a line for each part, then the files that took longest', async () => {
  expect(tableOf(await ranParts()).split('\n')).toEqual([
    'static checks             30.0 s  5 checks',
    'unit tests                 5.5 s  10 tests in 2 files',
    'together                  35.5 s',
    '    4.3 s  b.test.ts',
    '    3.0 s  a.test.ts',
  ])
})
