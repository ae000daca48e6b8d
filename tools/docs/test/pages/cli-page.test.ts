// The commands' page matches the code, and documents name only existing commands.
import { spawnSync } from 'node:child_process'

import { expect, test } from '@jest/globals'

import { cliPage, cliPagePath } from '../../src/pages/cli-page.ts'
import { readDocument } from '../../src/documents.ts'
import { REPOSITORY } from '@weir/devstack'

test('the page has the help of every command; npm run docs writes it anew', async () => {
  expect(await readDocument(cliPagePath)).toBe(await cliPage())
})

test('every command that a document names is there', async () => {
  const page = await cliPage()
  const commands = new Set([...page.matchAll(/^## weir (.+)$/gm)].map(([, name = '']) => name))
  const nouns = new Set([...commands].map((name) => name.split(' ')[0]))
  const missing: string[] = []
  for (const file of [
    'README.md',
    'docs/errors.md',
    'docs/guide/contracts.md',
    'docs/guide/faq.md',
  ])
    for (const [, noun = '', verb] of (await readDocument(file)).matchAll(
      /(?:npx @weir\/cli|`weir) ([a-z]+)(?: ([a-z]+))?/g,
    )) {
      const isThere = commands.has(noun) || commands.has(`${noun} ${verb ?? ''}`)
      const isNoun = verb === undefined && nouns.has(noun)
      if (!isThere && !isNoun && !commands.has(`${noun} ${verb} list`))
        missing.push(`${noun} ${verb ?? ''}`)
    }
  expect(missing).toEqual([])
})

test('no text runs the package `weir` of npm, which is a stranger’s', () => {
  const grep = (...args: string[]) =>
    spawnSync('git', ['grep', '-lE', ...args], { cwd: REPOSITORY })
  const found = grep('npx( -[^ ]+)* weir( |$)')
  expect([found.status, String(found.stdout)]).toEqual([1, '']) // 1: nothing found
  expect(grep('npx( -[^ ]+)* @weir/cli( |$)').status).toBe(0)
})
