import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, test } from '@jest/globals'

import { sumOf } from '../../src/test-run/files.ts'
import type { FileOutcome, Files } from '../../src/test-run/files.ts'
import { createParts } from '../../src/test-run/parts.ts'
import {
  afterRun,
  createSecondTries,
  keep,
  overdue,
  readKept,
  toldOf,
} from '../../src/test-run/second-tries.ts'

const good: FileOutcome = { passed: 2, failed: 0, skipped: 0, seconds: 1, passes: [], failures: [] }
const bad: FileOutcome = {
  passed: 1,
  failed: 1,
  skipped: 0,
  seconds: 1,
  passes: [],
  failures: ['it works'],
}

/** Simulates a run with these first outcomes. `second` returns the outcome of a second try. */
async function runOf(files: Files, second: (file: string) => FileOutcome) {
  const parts = createParts()
  await parts.run('unit tests', async () => ({ ...sumOf(Object.values(files)), files }))
  const tries = createSecondTries(parts)
  const tried: string[] = []
  const again = async (file: string) => (tried.push(file), second(file))
  await tries.run(again)
  await tries.run(again)
  return { tried, needed: tries.needed(), failed: sumOf(parts.all()).failed }
}

test('a file that failed passes by its second try, and it is said which test needed it', async () => {
  const { tried, needed, failed } = await runOf({ a: good, b: bad }, () => good)
  expect([tried, failed]).toEqual([['b'], 0])
  expect(toldOf(needed)).toEqual(['second try: b › it works'])
})

test('a file that fails twice has failed', async () => {
  const { tried, needed, failed } = await runOf({ a: bad, b: bad }, (file) =>
    file === 'a' ? bad : good,
  )
  expect([tried, failed, Object.keys(needed)]).toEqual([['a', 'b'], 1, ['b']])
})

test('when more than three files fail, none is tried again', async () => {
  const { tried, failed } = await runOf({ a: bad, b: bad, c: bad, d: bad }, () => good)
  expect([tried, failed]).toEqual([[], 4])
})

test('the files that failed before a broker was there count among the three', async () => {
  const parts = createParts()
  const tries = createSecondTries(parts)
  const again = async () => good
  const part = (...names: string[]) => {
    const files = Object.fromEntries(names.map((name) => [name, bad]))
    return async () => ({ ...sumOf(Object.values(files)), files })
  }
  await parts.run('unit tests', part('a', 'b'))
  await tries.run(again)
  await parts.run('integration tests', part('c', 'd'))
  await tries.run(again)
  expect(sumOf(parts.all()).failed).toBe(2)
})

test('a file that needs a second try in three runs in a row is overdue; one run without it begins anew', () => {
  const needed = { b: bad }
  const ran = { a: good, b: good }
  const once = afterRun({}, ran, needed)
  const twice = afterRun(once, ran, needed)
  expect([overdue(once, needed), overdue(twice, needed)]).toEqual([[], []])
  expect(overdue(afterRun(twice, ran, needed), needed)).toEqual(['b'])
  const between = afterRun(twice, ran, {})
  expect(between).toEqual({})
  expect(overdue(afterRun(between, ran, needed), needed)).toEqual([])
})

test('a run without the file changes nothing for it', () => {
  const once = afterRun({}, { b: good }, { b: bad })
  expect(afterRun(once, { a: good }, {})).toEqual(once)
})

test('what is known is kept in a file; one that is torn is as good as none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-tries-'))
  const file = join(folder, 'new', 'tries.json')
  const kept = afterRun({}, { b: good }, { b: bad })
  await keep(kept, file)
  expect(await readKept(file)).toEqual(kept)
  await writeFile(file, '{"b": {"runs')
  expect(await readKept(file)).toEqual({})
  await rm(folder, { recursive: true })
})
