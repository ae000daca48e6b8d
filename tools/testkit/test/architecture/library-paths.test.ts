// Sources import only what libraries document. Any other file of a library may change in each release.
import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { REPOSITORY } from '@weir/devstack'

/** Paths that the libraries document. */
const permitted = [
  '@noble/ciphers/aes.js',
  'ajv/dist/2020.js',
  'assemblyscript/asc',
  'preact/hooks',
  'uplot/dist/uPlot.min.css',
]

const imported = /\b(?:from|import|import\(|require\()\s*['"]([^'"\n]+)['"]/g
const isInside = (name: string): boolean =>
  /^(@[\w.-]+\/[\w.-]+|\w[\w.-]*)\/./.test(name) && !name.startsWith('@weir/')

const pathsIn = (text: string): string[] =>
  [...text.matchAll(imported)].flatMap(([, name = '']) => (isInside(name) ? [name] : []))

test('each import of a path inside a library is documented by the library', async () => {
  const files = globSync('{packages,services,clients,tools}/**/*.{ts,tsx,js,mjs,cjs}', {
    cwd: REPOSITORY,
    exclude: (name) => ['node_modules', 'dist'].includes(basename(name)),
  }).filter((file) => !file.endsWith('/library-paths.test.ts'))
  const texts = await Promise.all(files.map((file) => readFile(join(REPOSITORY, file), 'utf8')))
  expect([...new Set(texts.flatMap(pathsIn))].toSorted()).toEqual(permitted)
})

test.each([
  ["import createRetry from 'library/src/retry'", 'library/src/retry'],
  ["import type { A } from '@some/library/dist/apis'", '@some/library/dist/apis'],
  ["import 'library/src/retry'", 'library/src/retry'],
  ["const a = await import('library/src/retry')", 'library/src/retry'],
  ['export { a } from "library/lib/types"', 'library/lib/types'],
  ["const a = require('library/src/retry')", 'library/src/retry'],
])('it finds %s', (line, path) => expect(pathsIn(line)).toEqual([path]))

test.each([
  "import { Kafka } from 'kafkajs'",
  "import { Kafka } from '@platformatic/kafka'",
  "import { a } from './a/b.ts'",
  "import { site } from '@weir/docs/site'",
  "import { readFile } from 'node:fs/promises'",
])('it permits %s', (line) => expect(pathsIn(line)).toEqual([]))
