// Everything that public texts cite must exist, and the texts must contain nothing of the author's machine.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, test } from '@jest/globals'

import { readDocument } from '../src/documents.ts'
import { REPOSITORY } from '@weir/devstack'

const run = promisify(execFile)

/** Returns matching files, also uncommitted ones, but no files that git ignores. */
async function filesOf(...patterns: string[]): Promise<string[]> {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z', '--', ...patterns]
  const { stdout } = await run('git', args, { cwd: REPOSITORY, maxBuffer: 16 * 1024 * 1024 })
  const files = stdout.split('\0').filter((file) => file !== '')
  return files.filter((file) => existsSync(join(REPOSITORY, file)))
}

type Finding = { file: string; found: string }

async function findAll(
  files: readonly string[],
  look: (text: string, file: string) => Iterable<string>,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const file of files) {
    for (const found of look(await readDocument(file), file)) findings.push({ file, found })
  }
  return findings
}

const matchesOf = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((match) => match[1] ?? match[0])

const isThere = (path: string): boolean => existsSync(join(REPOSITORY, path))

const documents = await filesOf('*.md')
const sources = await filesOf('*.ts', '*.js', '*.cjs', '*.sh', '*.py', '*.yaml')

/** Returns the text of a test file and of the modules beside it that it imports. */
async function testsIn(file: string): Promise<string> {
  const own = await readDocument(file)
  const beside = matchesOf(own, /from '(\.\/[\w/-]+\.ts)'/g).map((path) =>
    join(dirname(file), path),
  )
  return [own, ...(await Promise.all(beside.map(readDocument)))].join('\n')
}

describe('what documents cite', () => {
  test('every relative link leads to a file', async () => {
    const broken = await findAll(documents, (text, file) => {
      const links = matchesOf(text, /\]\(([^)\s]+)\)/g)
      const paths = links.filter((link) => !/^[a-z]+:|^#/.test(link))
      return paths.filter((link) => !isThere(join(dirname(file), link.replace(/#.*/, ''))))
    })
    expect(broken).toEqual([])
  })

  test('every test that stands for a guarantee is there', async () => {
    const rows = matchesOf(await readDocument('docs/guarantees.md'), /^ {2}`[^`]+`: «[^»]+»/gm)
    const missing: string[] = []
    for (const row of rows) {
      const [, file = '', name = ''] = /`([^`]+)`: «([^»]+)»/.exec(row) ?? []
      if (!(await testsIn(file)).includes(name)) missing.push(`${file}: ${name}`)
    }
    expect(rows.length).toBeGreaterThan(100)
    expect(missing).toEqual([])
  })

  test('every path of the repository in code marks exists', async () => {
    const missing = await findAll(documents, (text) => {
      const paths = matchesOf(
        text,
        /`((?:docs|packages|services|clients|tools|examples)\/[\w./-]+)`/g,
      )
      return paths.filter((path) => !path.includes('NNNN') && !isThere(path))
    })
    expect(missing).toEqual([])
  })

  test('every decision record has its four parts', async () => {
    const incomplete = await findAll(await filesOf('docs/adr/*.md'), (text) =>
      ['Context', 'Decision', 'Consequences', 'Rejected'].filter(
        (part) => !text.includes(`\n## ${part}\n`),
      ),
    )
    expect(incomplete).toEqual([])
  })
})

test('analysts read which kcat decodes Avro, and what else does', async () => {
  expect(await readDocument('docs/analysts.md')).toMatch(
    /kcat decodes Avro only if `kcat -V` lists `Avro`; Debian 12's does not\. .*read_stream\.py/,
  )
})

describe('what comments in the code cite', () => {
  test('every document exists', async () => {
    const missing = await findAll(sources, (text) =>
      matchesOf(text, /\b(docs\/[\w/-]+\.md)/g).filter((path) => !isThere(path)),
    )
    expect(missing).toEqual([])
  })

  test('every numbered decision of docs/architecture.md is there under its number', async () => {
    const headings = matchesOf(await readDocument('docs/architecture.md'), /^### (\d+)\. /gm)
    expect(headings).toEqual(Array.from({ length: 12 }, (_, index) => String(index + 1)))
    const missing = await findAll(sources, (text) =>
      matchesOf(unwrapped(text), /docs\/architecture\.md (\d+)/g).filter(
        (number) => !headings.includes(number),
      ),
    )
    expect(missing).toEqual([])
  })

  test('every section of docs/wire-format.md is there', async () => {
    const headings = matchesOf(await readDocument('docs/wire-format.md'), /^## (.+)$/gm)
    const missing = await findAll(sources, (text) =>
      matchesOf(unwrapped(text), /docs\/wire-format\.md ([A-Z]\w+)/g).filter(
        (word) => !headings.some((heading) => heading.startsWith(word)),
      ),
    )
    expect(missing).toEqual([])
  })
})

/** Joins comment lines, so that a citation across a line's end is found. */
const unwrapped = (text: string): string => text.replace(/\n\s*(?:\/\/|\*|#) ?/g, ' ')

describe('what no file may hold', () => {
  test('a path of the machine it was written on', async () => {
    const pattern =
      /(?<![\w.:/])\/(?:work|root|home|Users|mnt(?!\/(?:weir-|clients-ca)))\/[\w.-]{2,}/g // names of made-up users have one letter; Strimzi mounts under /mnt
    expect(await findAll([...documents, ...sources], (text) => matchesOf(text, pattern))).toEqual(
      [],
    )
  })

  test('the address of a package registry', async () => {
    const files = [...documents, ...sources, ...(await filesOf('*.json', '.*rc', '*.xml'))]
    const pattern =
      /\b(?:registry\.[\w.]*npmjs\.org|npmjs\.org|repo1?\.maven\.[\w.]+|pypi\.org|pythonhosted\.org|proxy\.golang\.org|deb\.debian\.org)/g
    const found = await findAll(files, (text) => matchesOf(text, pattern))
    expect(found.filter(({ file }) => file !== 'pnpm-lock.yaml')).toEqual([])
  })
})
