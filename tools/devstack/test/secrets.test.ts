import { chmod, readFile, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from '@jest/globals'

import { kekFilesIn, makeKekFiles, makePlatformKey, makePrivateFolder } from '../src/secrets.ts'
import { inTemporaryFolder } from './fixtures/temporary.ts'

const NAMES = ['kek-auth', 'kek-ingest', 'kek-output']
const read = (path: string): Promise<string> => readFile(path, 'utf8')

test('each service has a file of its own with only its KEKs, of 256 bits, and only its owner reads it', () =>
  inTemporaryFolder(async (folder) => {
    await expect(makeKekFiles(folder)).resolves.toBe(true)

    const { auth, ingest, output } = kekFilesIn(folder)
    const all = await read(auth)
    const keys = new Set(all.match(/[0-9a-f]{64}/g))
    const names = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0])
    expect([names(all), keys.size]).toEqual([['sign', 'link', 'open', 'levels'], 4])
    expect(names(await read(ingest))).toEqual(['link', 'open', 'levels'])
    expect(names(await read(output))).toEqual(['open', 'levels'])
    for (const part of [await read(ingest), await read(output)]) expect(all).toContain(part)
    for (const name of NAMES) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600)
  }))

test('a private folder is entered by its owner alone, also one that others could enter before', () =>
  inTemporaryFolder(async (parent) => {
    const folder = join(parent, 'data')
    const modeOf = async () => (await stat(folder)).mode & 0o777
    await makePrivateFolder(folder)
    expect(await modeOf()).toBe(0o700)
    await chmod(folder, 0o755)
    await makePrivateFolder(folder)
    expect(await modeOf()).toBe(0o700)
  }))

test('the folder is made when it is missing, as on the first start of a clone', () =>
  inTemporaryFolder(async (folder) => {
    await expect(makeKekFiles(join(folder, 'new'))).resolves.toBe(true)

    expect((await readdir(join(folder, 'new'))).sort()).toEqual(NAMES)
  }))

test('KEK files that are there are never replaced, and what a crash left out is made from the first', () =>
  inTemporaryFolder(async (folder) => {
    await makeKekFiles(folder)
    const { auth, ingest, output } = kekFilesIn(folder)
    const before = [await read(auth), await read(ingest), await read(output)]
    await rm(output)

    await expect(makeKekFiles(folder)).resolves.toBe(false)

    expect([await read(auth), await read(ingest), await read(output)]).toEqual(before)
    expect((await readdir(folder)).sort()).toEqual(NAMES)
  }))

test('a platform key has 256 random bits', () => {
  expect(makePlatformKey()).toMatch(/^[\w-]{43}$/)
  expect(makePlatformKey()).not.toBe(makePlatformKey())
})
