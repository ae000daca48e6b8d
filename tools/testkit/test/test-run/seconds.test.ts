import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, expect, test } from '@jest/globals'

import { keepSeconds, readSeconds } from '../../src/test-run/seconds.ts'
import slowest from '../../src/test-run/slowest.json' with { type: 'json' }
import { REPOSITORY } from '@weir/devstack'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-seconds-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

test('what a run of some files took is added to what earlier runs took', async () => {
  const file = join(folder, 'new', 'seconds.json')
  await keepSeconds({ a: 1, b: 2 }, file)
  await keepSeconds({ b: 3 }, file)
  expect(await readSeconds(file)).toEqual({ a: 1, b: 3 })
})

test('what is torn is as good as never kept', async () => {
  const file = join(folder, 'seconds.json')
  await writeFile(file, '{"a": 1')
  expect(await readSeconds(file)).toEqual({})
})

test('the files that a fresh clone begins with are there', () => {
  const gone = Object.keys(slowest).filter((file) => !existsSync(join(REPOSITORY, file)))
  expect(gone).toEqual([])
})
