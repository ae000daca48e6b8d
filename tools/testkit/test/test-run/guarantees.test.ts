import { expect, test } from '@jest/globals'

import { notHeld, readGuarantees, rowsOf } from '../../src/test-run/guarantees.ts'
import { isSoaked } from '../../src/test-run/soaked.ts'

const fileWith = (...passes: string[]) => ({
  passed: passes.length,
  failed: 0,
  skipped: 0,
  seconds: 1,
  failures: [],
  passes,
})
const row = (name: string) => ({ file: 'a.test.ts', name, isSoaked: false })

test('a promise is held when its test ran and passed', () => {
  const ran = { 'a.test.ts': fileWith('auth › GET /v2/keys needs platform', 'it is stored (once)') }
  expect(notHeld([row('$route needs $needs'), row('stored (once)')], ran)).toEqual([])
})

test('it is not when the test did not run, or failed, or its file did not run', () => {
  const ran = { 'a.test.ts': { ...fileWith('another'), failed: 1, failures: ['it is stored'] } }
  expect(notHeld([row('it is stored')], ran)).toEqual(['not held: a.test.ts › it is stored'])
  expect(notHeld([row('it is stored')], {})).toEqual(['not held: a.test.ts › it is stored'])
})

test('five promises at most are left to the soak, and the page says which', async () => {
  const rows = rowsOf(await readGuarantees())
  expect(rows.length).toBeGreaterThan(100)
  const soaked = rows.filter(({ file }) => isSoaked(file))
  expect(soaked).toEqual(rows.filter((each) => each.isSoaked))
  expect(soaked.length).toBeLessThanOrEqual(5)
})
