// Every command and program in the README, docs/*.md and the guides runs in a test, or its document says why not.
import { expect, test } from '@jest/globals'

import { codeBlocksOf, isCode } from '../src/code-blocks.ts'
import { readDocument } from '../src/documents.ts'
import { repositoryFiles } from '@weir/docs/site'

/** Documents of which guides.ts runs all `sh` blocks. */
const wholly = /^docs\/guide\//
const files = await repositoryFiles()

/** The sections that tests run, from the calls in their sources: `walk('README.md', '## A walk')`. */
const sections = new Set<string>()
const walks =
  /^tools\/docs\/test\/walk\/(?!.*(?<!integration)\.test\.ts$).*\.ts$|\/test\/.*\.integration\.test\.ts$/
for (const file of files.filter((each) => walks.test(each)))
  for (const [, document = '', heading = ''] of (await readDocument(file)).matchAll(
    /'((?:README|docs\/[\w/-]+)\.md)'\)?,\s*'(## [^']+)'/g,
  ))
    sections.add(`${document} ${heading}`)

const documents = files.filter((file) =>
  /^(README\.md|docs\/[\w-]+\.md|docs\/guide\/[\w-]+\.md)$/.test(file),
)

test.each(documents)(
  'all that %s tells to type runs in a test, or it says why not',
  async (file) => {
    const text = await readDocument(file)
    const untold = codeBlocksOf(text)
      .filter((block) => isCode(block) && block.notRun === undefined)
      .filter(({ language, line }) => !(language === 'sh' && isRun(file, text, line)))
    expect(untold.map(({ line, text: block }) => `${line}: ${block.split('\n')[0] ?? ''}`)).toEqual(
      [],
    )
  },
)

function isRun(file: string, text: string, line: number): boolean {
  if (wholly.test(file)) return true
  const before = text.split('\n').slice(0, line)
  const heading = before.findLast((each) => each.startsWith('## ')) ?? ''
  return sections.has(`${file} ${heading}`)
}

test('tests run sections of several documents', () => {
  expect(sections.size).toBeGreaterThan(3)
})

test('a reason has to be given in words, after the block', () => {
  const told = codeBlocksOf('```sh\nnpm start\n```\n\n_Not run by the tests: it runs already._\n')
  expect(told.map(({ notRun }) => notRun)).toEqual(['it runs already'])
  const untold = codeBlocksOf('```sh\nnpm start\n```\n\n_Not run by the tests: no._\n')
  expect(untold.map(({ notRun }) => notRun)).toEqual([undefined])
})
