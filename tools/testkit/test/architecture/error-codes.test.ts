// An error code of a package begins with the package's name, so it never equals an error code of the API. The package's
// `src/errors.ts` lists the code. Code may check only for listed codes.
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from '@jest/globals'

import { REPOSITORY } from '@weir/devstack'

const read = (path: string): Promise<string> => readFile(join(REPOSITORY, path), 'utf8')
const codesIn = (text: string): string[] =>
  [...text.matchAll(/'([a-z0-9-]+\.[a-z_]+)'/g)].map(([, code = '']) => code)

/** Prefixes that differ from the name of the package's folder. */
const prefixes: Readonly<Record<string, string>> = { 'schema-registry': 'registry' }
const tables = globSync('{packages,services}/*/src/{errors,derive/errors}.ts', { cwd: REPOSITORY })
const packages = tables.filter((path) => path.startsWith('packages/'))

test.each(packages)('the codes of %s are its own', async (path) => {
  const [, name = ''] = path.split('/')
  const text = await read(path)
  const own = [...text.matchAll(/^ *(?:export type \w+ =|\|).*'/gm)].flatMap(([line]) =>
    codesIn(`${line}'`),
  )
  for (const code of own) expect(code.split('.')[0]).toBe(prefixes[name] ?? name)
})

test('no error of a package has a code without the name of the package', async () => {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: REPOSITORY })
  const texts = await Promise.all(
    sources.filter((path) => !path.startsWith('packages/http-api/')).map(read),
  )
  const bare = texts.flatMap((text) =>
    [...text.matchAll(/new \w*Error\(\s*'(\w+)',/g)].map(([, code]) => code),
  )
  expect(bare).toEqual([])
})

test('whoever asks for the code of a package asks for one that there is', async () => {
  const known = new Set((await Promise.all(tables.map(read))).flatMap(codesIn))
  for (const code of ['keys.ring_missing', 'backup.not_empty']) known.add(code)
  const sources = globSync('{packages,services,clients,tools}/*/src/**/*.ts', { cwd: REPOSITORY })
  const asked = (await Promise.all(sources.map(read))).flatMap((text) =>
    [...text.matchAll(/hasCode\(([^)]*)\)/g)].flatMap(([, codes = '']) => codesIn(codes)),
  )
  expect(asked.length).toBeGreaterThan(20)
  expect(asked.filter((code) => !known.has(code))).toEqual([])
})
