// Secrets on a development machine.

import { readFile, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from '@jest/globals'

import { makeKekFile, makePlatformKey } from '../src/secrets.ts'
import { inTemporaryFolder } from './fixtures/temporary.ts'

test('a KEK file holds one line of name, version and 256 bits, and only its owner reads it', () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, 'kek')

    await expect(makeKekFile(path)).resolves.toBe(true)

    await expect(readFile(path, 'utf8')).resolves.toMatch(/^weir 1 [0-9a-f]{64}\n$/)
    expect((await stat(path)).mode & 0o777).toBe(0o600)
  }))

test('its folder is made when it is missing, as on the first start of a clone', () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, 'new', 'kek')

    await expect(makeKekFile(path)).resolves.toBe(true)

    await expect(readdir(join(folder, 'new'))).resolves.toEqual(['kek'])
  }))

test('a KEK file that is there is never replaced', () =>
  inTemporaryFolder(async (folder) => {
    const path = join(folder, 'kek')
    await makeKekFile(path)
    const before = await readFile(path, 'utf8')

    await expect(makeKekFile(path)).resolves.toBe(false)

    await expect(readFile(path, 'utf8')).resolves.toBe(before)
    await expect(readdir(folder)).resolves.toEqual(['kek'])
  }))

test('a platform key has 256 random bits', () => {
  expect(makePlatformKey()).toMatch(/^[\w-]{43}$/)
  expect(makePlatformKey()).not.toBe(makePlatformKey())
})
