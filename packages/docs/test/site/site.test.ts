// The documents form a site that works offline, without broken links.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { buildSite } from '../../src/site/build.ts'
import type { Site } from '../../src/site/build.ts'
import { createLinker } from '../../src/site/links.ts'
import { searchEntriesOf } from '../../src/site/search-index.ts'
import { order, repositoryFiles } from '../../src/site/sources.ts'

let folder: string
let site: Site

const read = (path: string): Promise<string> => readFile(join(folder, path), 'utf8')

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-site-'))
  site = await buildSite(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('every link of every document leads to a page, a section of it, a file or a folder', () => {
  expect(site.pages).toBeGreaterThan(100)
  expect(site.broken).toEqual([])
})

test('the pages that the index names first exist', async () => {
  const files = await repositoryFiles()
  const named = order.flatMap(({ first = [] }) => first)
  expect(named.filter((page) => !files.includes(page))).toEqual([])
})

test('the index begins with the guides, by the work of the reader', async () => {
  const headings = [...(await read('index.html')).matchAll(/<h2>(.*?)<\/h2>/g)]
  expect(headings.slice(0, 6).map(([, text]) => text)).toEqual([
    'Start here',
    'Producers',
    'Analysts',
    'Privacy officers',
    'Operators',
    'Reference',
  ])
})

test('a page holds nothing from elsewhere, and no script but the search', async () => {
  for (const page of ['index.html', 'guide/concepts.html', 'openapi/auth.html']) {
    const text = await read(page)
    expect(text).toContain('</html>')
    expect(text).not.toMatch(/(?:src|rel="stylesheet" href)="https?:/)
    const scripts = [...text.matchAll(/<script.*?>/g)].map(([tag]) => tag)
    expect(scripts).toEqual([expect.stringMatching(/^<script defer src="(\.\.\/)?search\.js">$/)])
  }
})

test('the list of errors has every code, and a link to the folder of their pages leads to it', async () => {
  const text = await read('errors.html')
  expect(text).toContain('<a href="errors/not_found.html"><code>not_found</code></a>')
  expect(text).toContain('<a href="errors.html">')
})

test('a second build leaves what has not changed, and removes what is gone', async () => {
  const before = await stat(join(folder, 'index.html'))
  await writeFile(join(folder, 'guide', 'gone.html'), '')
  await buildSite(folder)
  expect((await stat(join(folder, 'index.html'))).mtimeMs).toBe(before.mtimeMs)
  expect(await readdir(join(folder, 'guide'))).not.toContain('gone.html')
})

test('a page is searched by section, in its visible text', () => {
  const html =
    '<h1 id="a">A</h1><p>x &amp; <b>y</b></p>\n<h2 id="more">More <code>z</code></h2><p>w</p>'
  expect(searchEntriesOf({ path: 'a.html', title: 'A', html, isGuide: true })).toEqual([
    { href: 'a.html', page: 'A', heading: '', text: 'x & y', isGuide: true },
    { href: 'a.html#more', page: 'A', heading: 'More z', text: 'w', isGuide: true },
  ])
})

test('a link to a page, a heading or a file that is not there is told', () => {
  const files = new Set(['pages/a.md', 'pages/b.md'])
  const linker = createLinker({ files, idsOf: () => new Set(['there']) })
  expect(linker.linkTo('pages/a.md', 'b.md#there')).toBe('b.html#there')
  for (const href of ['c.md', 'b.md#gone', '../c.py', '#gone']) linker.linkTo('pages/a.md', href)
  expect(linker.broken).toEqual(
    ['c.md', 'b.md#gone', '../c.py', '#gone'].map((href) => `pages/a.md: ${href}`),
  )
})
