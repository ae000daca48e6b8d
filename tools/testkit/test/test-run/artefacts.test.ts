import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'
import { afterEach, beforeEach, expect, test } from '@jest/globals'

import {
  ARTEFACTS,
  artefactHashes,
  keepPassed,
  readPassed,
  unchanged,
  withPassed,
} from '../../src/test-run/artefacts.ts'

const FILE = 'room/test/image.integration.test.ts'
const artefacts = [{ tests: 'room/test/', inputs: ['room', 'services', 'Dockerfile'] }]

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'weir-artefacts-'))
  execFileSync('git', ['init', '-q'], { cwd: root })
  for (const file of [FILE, 'services/a/src/main.ts', 'services/a/test/a.test.ts', 'Dockerfile'])
    await write(file, file)
})
afterEach(() => rm(root, { recursive: true, force: true }))

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(root, file)), { recursive: true })
  await writeFile(join(root, file), text)
}

const hashes = () => artefactHashes(artefacts, root)
const passedNow = async () => withPassed({}, await hashes(), { [FILE]: 3 })

test('a test that passed is left out while nothing that it depends on has changed', async () => {
  const passed = await passedNow()
  expect(passed[FILE]?.tests).toBe(3)
  await write('services/a/test/a.test.ts', 'another test')
  await write('elsewhere.md', 'new')
  expect(unchanged(await hashes(), passed)).toEqual([FILE])
})

test.each([FILE, 'services/a/src/main.ts', 'services/a/src/new.ts', 'room/test/fixture.json'])(
  'it runs again when %s has changed',
  async (file) => {
    const passed = await passedNow()
    await write(file, 'changed')
    expect(unchanged(await hashes(), passed)).toEqual([])
  },
)

test('it runs again when an input is gone', async () => {
  const passed = await passedNow()
  await rm(join(root, 'Dockerfile'))
  expect(unchanged(await hashes(), passed)).toEqual([])
})

test('one that did not pass runs again', async () => {
  expect(unchanged(await hashes(), withPassed({}, await hashes(), {}))).toEqual([])
})

test('where git lists no files, every test runs', async () => {
  await rm(join(root, '.git'), { recursive: true })
  expect([...(await artefactHashes(artefacts, root))]).toEqual([])
})

test('what has passed is kept, and what is torn is as good as never kept', async () => {
  const file = join(root, '.kept', 'passed.json')
  const passed = await passedNow()
  await keepPassed(passed, file)
  expect(await readPassed(file)).toEqual(passed)
  await writeFile(file, '{"a": 1')
  expect(await readPassed(file)).toEqual({})
})

test('every artefact and every input of the repository is there', () => {
  const named = ARTEFACTS.flatMap(({ tests, inputs }) => [tests, ...inputs])
  expect(named.filter((file) => !existsSync(join(REPOSITORY, file)))).toEqual([])
})
