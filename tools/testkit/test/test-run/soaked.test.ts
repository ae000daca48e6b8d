import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'
import { expect, test } from '@jest/globals'

import { SOAKED, isSoaked } from '../../src/test-run/soaked.ts'

test('what only the soak runs is there', () => {
  expect(SOAKED.filter((path) => !existsSync(join(REPOSITORY, path)))).toEqual([])
})

test('files are named one by one, integration tests by their folder too', () => {
  expect(isSoaked('tools/testkit/test/keys/vault.integration.test.ts')).toBe(true)
  expect(isSoaked('tools/manifests/test/strimzi/kafka-starts.integration.test.ts')).toBe(true)
  expect(isSoaked('tools/manifests/test/manifests.test.ts')).toBe(false)
  expect(isSoaked('tools/testkit/test/keys/signing-keys.integration.test.ts')).toBe(false)
})

test('of the tests that docs/guarantees.md names, five at most are left to the soak, and it says which', () => {
  const table = readFileSync(join(REPOSITORY, 'docs/guarantees.md'), 'utf8')
  const rows = [...table.matchAll(/^\|.*\| `([^`]+)`: «[^»]+»(.*)\|$/gm)]
  const named = rows.map(([, file = '', rest = '']) => ({ file, says: rest.trim() === '(soak)' }))
  expect(named.length).toBeGreaterThan(20)
  const soaked = named.filter(({ file }) => isSoaked(file))
  expect(soaked).toEqual(named.filter(({ says }) => says))
  expect(soaked.length).toBeLessThanOrEqual(5)
})
