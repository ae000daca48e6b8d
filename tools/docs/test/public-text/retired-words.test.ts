// All public text uses the words of docs/glossary.md: documents, comments of manifests, and the texts of programs and
// pages. A hit says which word to write instead.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, test } from '@jest/globals'

import { readDocument } from '../../src/documents.ts'
import { commentsOf } from '../../src/public-text/comments.ts'
import { retiredWordsIn } from '../../src/public-text/retired-words.ts'
import { textsOfSource } from '../../src/public-text/source-texts.ts'
import { REPOSITORY } from '@weir/devstack'

const run = promisify(execFile)

async function filesOf(...patterns: string[]): Promise<string[]> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...patterns]
  const { stdout } = await run('git', args, { cwd: REPOSITORY, maxBuffer: 16 * 1024 * 1024 })
  return stdout.split('\n').filter((file) => file !== '' && existsSync(join(REPOSITORY, file)))
}

/** Allowed texts, each with its reason. */
const exceptions: readonly RegExp[] = [
  /^docs\/glossary\.md: .*\bNot: /, // the glossary names the words to avoid
  /\bVault\b.*\bseal/i, // Vault's own state
  /\bsign link open levels\b/, // names of KEKs
]

const hitsIn = (file: string, texts: readonly string[]): string[] =>
  texts
    .filter((text) => !exceptions.some((exception) => exception.test(`${file}: ${text}`)))
    .flatMap((text) => retiredWordsIn(text).map((hit) => `${file}: ${hit} in «${text}»`))

async function hitsOf(
  files: readonly string[],
  textsOf: (text: string) => readonly string[] | Promise<readonly string[]>,
): Promise<string[]> {
  expect(files.length).toBeGreaterThan(3)
  const hits = files.map(async (file) => hitsIn(file, await textsOf(await readDocument(file))))
  return (await Promise.all(hits)).flat()
}

/** Returns the lines of a document, without the names of tests that docs/guarantees.md quotes. */
const linesOf = (text: string): string[] =>
  text.split('\n').map((line) => line.replace(/(\.ts`): «[^»]*»/, '$1'))

/** Returns texts with a space, and single capitalised words, as on the console's buttons. Other texts are names. */
const sentencesOf = async (text: string): Promise<string[]> =>
  (await textsOfSource(text)).filter((one) => one.includes(' ') || /^[A-Z][a-z]+$/.test(one))

describe('no retired word stands', () => {
  test('in a document', async () => {
    expect(await hitsOf(await filesOf('*.md'), linesOf)).toEqual([])
  })

  test('in a comment or a text of the manifests', async () => {
    const files = await filesOf('k8s/**/*.yaml', 'k8s/*.yaml', 'docker-compose.yml')
    expect(await hitsOf(files, linesOf)).toEqual([])
  })

  test.each(['services', 'packages', 'clients', 'tools/devstack', 'tools/manifests'])(
    'in a text of the programs of %s',
    async (folder) => {
      const files = await filesOf(`${folder}/*.ts`, `${folder}/*.tsx`)
      const sources = files.filter((file) => /\/(?:src|web)\//.test(file))
      expect(await hitsOf(sources, sentencesOf)).toEqual([])
    },
  )
})

describe('no retired word stands in a comment', () => {
  const folders = ['services', 'packages', 'clients', 'tools'] as const
  test.each(folders)('of %s', async (folder) => {
    const scripts = await filesOf(...['ts', 'tsx', 'js', 'css'].map((end) => `${folder}/*.${end}`))
    const others = await filesOf(...['py', 'sh'].map((end) => `${folder}/*.${end}`))
    const hits = [
      ...(await hitsOf(scripts, (text) => commentsOf(text))),
      ...(await Promise.all(
        others.map(async (file) => hitsIn(file, commentsOf(await readDocument(file), '#'))),
      )),
    ]
    expect(hits.flat().filter((hit) => !hit.includes('retired-words'))).toEqual([])
  })
})

describe('the test itself', () => {
  test('sees words in comments of each form, and says what to write', () => {
    const code =
      "// Sealed,\n// anew\nconst a = 1 // to be had\n/** It is\n * told. */\nconst url = 'http://at.once'\n"
    expect(commentsOf(code)).toEqual(['Sealed, anew', 'to be had', 'It is told.'])
    expect(commentsOf('x = 1\n# at\n# once\n', '#')).toEqual(['at once'])
    expect(commentsOf(code).flatMap(retiredWordsIn).length).toBe(4)
  })

  test('sees words in strings, templates and pages, and says what to write', async () => {
    const code =
      "import x from './sealed words.ts'\nlog('a sealed field')\nconst a = `goes on ${x} by itself`\n" +
      'const b = <p>Look again</p>'
    expect((await textsOfSource(code)).flatMap(retiredWordsIn)).toEqual([
      '«sealed»: write «encrypt»',
      '«by itself»: write «automatically, or the word for what starts it»',
      '«goes on»: write «continue»',
      '«Look again»: write «refresh»',
    ])
  })

  test.each([
    ['Whoever took over the partition', 'anyone who, or the role of that person'],
    ['It takes over the derived partition', 'acquire a partition'],
    ['Then auth answers with 503', 'returns, or gets'],
    ['one of a hundred requests', '1 %'],
    ['one value a line', 'one … per line'],
  ])('sees «%s»', (text, instead) => {
    expect(retiredWordsIn(text).join(' ')).toContain(instead)
  })

  test('leaves names on the wire alone', () => {
    expect(retiredWordsIn('under `_ring/open/1`, in `acme.clicks.dead`, at `…/dead`')).toEqual([])
  })
})
