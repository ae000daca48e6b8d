// Holds docs/errors/, a page for each code, against docs/errors.md, which other tests hold against the code.
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from '@jest/globals'

import { readDocument, rowsUnder } from '../../src/documents.ts'
import { REPOSITORY } from '@weir/devstack'

const index = await readDocument('docs/errors.md')
const files = await readdir(join(REPOSITORY, 'docs/errors'))
const pages = files.map((file) => file.replace(/\.md$/, '')).sort()

type Refusal = { service: string; status: string; code: string }

const refusals: Refusal[] = [
  ['ingest', '## Ingest'],
  ['auth', '## auth'],
  ['output', '## output'],
  ['WebSocket', '## WebSocket'],
].flatMap(([service = '', heading = '']) =>
  rowsUnder(index, heading)
    .map(([status = '', code = '']) => ({ service, status, code }))
    .filter(({ status }) => Number(status) < 1000),
)
const own = rowsUnder(index, '## weir').map(([page = '']) => page)
const ownPages = own.filter((page) => !/^\d+$/.test(page))

test('every code of docs/errors.md has a page, and every page a code', () => {
  const codes = new Set([...refusals.map(({ code }) => code), ...ownPages])
  expect(pages).toEqual([...codes].sort())
})

test('docs/errors.md links every code to its page', () => {
  const unlinked = pages.filter((page) => !index.includes(`[\`${page}\`](errors/${page}.md)`))
  expect(unlinked).toEqual([])
})

describe.each(pages)('the page of %s', (code) => {
  test('says who answers it, what happened, why, what to do next, and shows an answer', async () => {
    const text = await readDocument(`docs/errors/${code}.md`)
    const answers = refusals.filter((refusal) => refusal.code === code)
    const who = answers.map(({ service, status }) => `${service} ${status}`).join(' · ')

    const headings = [...text.matchAll(/^#+ .*$/gm)].map(([heading]) => heading)
    expect(headings).toEqual([
      `# ${code}`,
      '## What happened',
      '## Why',
      '## What to do next',
      '## An answer',
    ])
    for (const section of text.split(/^## .*$/m)) expect(section.trim()).not.toBe('')
    const [, status = '', example = ''] = /^```http\nHTTP\/1.1 (\d+) (.*?)^```$/ms.exec(text) ?? []
    const isOwn = ownPages.includes(code)
    const link = `link: <http://127.0.0.1:8081/docs/errors/${code}>; rel="help"`
    expect(isOwn ? '' : text.split('\n')[2]).toBe(who)
    expect(isOwn || answers.some((answer) => answer.status === status)).toBe(true)
    expect(isOwn ? text : example).toContain(isOwn ? `\n  More: docs/errors/${code}.md` : link)
  })
})
