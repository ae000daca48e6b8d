import { existsSync } from 'node:fs'
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
