// The documents form a site that works offline, without broken links.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from '@jest/globals'

import { buildSite } from '../../src/site/build.ts'
import type { Site } from '../../src/site/build.ts'
import { createLinker } from '../../src/site/links.ts'

let folder: string
let site: Site

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-site-'))
  site = await buildSite(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('every link of every document leads to a page, a section of it, a file or a folder', () => {
  expect(site.pages).toBeGreaterThan(100)
  expect(site.broken).toEqual([])
})

test('a page holds nothing from elsewhere and no script', async () => {
  for (const page of ['index.html', 'docs/guide/concepts.html', 'docs/openapi/auth.html']) {
    const text = await readFile(join(folder, page), 'utf8')
    expect(text).toContain('</html>')
    expect(text).not.toMatch(/<script|(?:src|rel="stylesheet" href)="https?:/)
  }
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
