// Builds the site: every Markdown file of the repository as a page, the APIs in docs/openapi, and linked files. The
// build and the pages need nothing from other hosts.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { errorTables, readErrorPages } from '../error-pages.ts'
import { escapeHtml, renderMarkdown } from '../markdown.ts'
import { apiPageOf } from '../openapi/page.ts'
import { pageOf, style } from '../page.ts'
import { homeBody } from './home.ts'
import { createLinker, hrefBetween, htmlOf, siteOf } from './links.ts'
import type { Linker } from './links.ts'
import { searchEntriesOf, searchIndexOf } from './search-index.ts'
import type { SearchEntry } from './search-index.ts'
import { isPage, repository, repositoryFiles, sectionsOf } from './sources.ts'
import type { Section } from './sources.ts'
import { store } from './store.ts'

export type Site = {
  readonly pages: number
  /** Links to pages, sections or files that don't exist. */
  readonly broken: readonly string[]
}

type Making = {
  /** The files of the site, by path. */
  readonly made: Map<string, string | Buffer>
  readonly texts: ReadonlyMap<string, string>
  readonly titles: ReadonlyMap<string, string>
  readonly sections: readonly Section[]
  readonly linker: Linker
}

const read = (file: string): Promise<string> => readFile(join(repository, file), 'utf8')

/** Readers of the folder never see half a file. Two builds at the same time do no harm. */
export async function buildSite(folder: string): Promise<Site> {
  const files = await repositoryFiles()
  const making = await readPages(files)
  const { linker, texts, made, sections, titles } = making
  const found: SearchEntry[] = []
  for (const { pages, says } of sections)
    for (const page of pages) {
      const text = texts.get(page) ?? ''
      const { title, html } = renderMarkdown(text, (href) => linker.linkTo(page, href))
      const path = htmlOf(page)
      writePage(making, { path, title, body: html })
      found.push(...searchEntriesOf({ path, title, html, isGuide: says !== undefined }))
    }
  for (const path of linker.shown) await writeShown(making, path, files)
  for (const image of linker.images)
    made.set(siteOf(image), await readFile(join(repository, image)))
  const apis = files.filter((file) => /^docs\/openapi\/\w+\.json$/.test(file))
  for (const api of apis) await writeApi(making, api)
  writePage(making, {
    path: 'index.html',
    title: 'Documents',
    body: homeBody({ sections, titles, apis: apis.map(apiPathOf) }),
  })
  made.set('style.css', style)
  made.set('search.js', await readFile(join(import.meta.dirname, 'search.js')))
  made.set('search-index.js', searchIndexOf(found))
  await store(folder, made)
  return { pages: texts.size + linker.shown.size, broken: linker.broken }
}

async function readPages(files: readonly string[]): Promise<Making> {
  const texts = new Map<string, string>()
  const titles = new Map<string, string>()
  const ids = new Map<string, ReadonlySet<string>>()
  for (const file of files.filter(isPage)) {
    const text = await textOf(file)
    const { title, headings } = renderMarkdown(text)
    texts.set(file, text)
    titles.set(file, title)
    ids.set(file, new Set(headings.map(({ id }) => id)))
  }
  const idsOf = (page: string) => ids.get(page) ?? new Set<string>()
  const linker = createLinker({ files: new Set(files), idsOf })
  return { made: new Map(), texts, titles, sections: sectionsOf([...texts.keys()]), linker }
}

/** Returns the text of a page. Adds tables of all codes to the page of errors. */
async function textOf(file: string): Promise<string> {
  if (file !== 'docs/errors.md') return read(file)
  const tables = errorTables(await readErrorPages(), (code) => `errors/${code}.md`)
  return `${await read(file)}\n${tables}\n`
}

type Written = { readonly path: string; readonly title: string; readonly body: string }

const framesOf = (path: string) => ({
  styleHref: hrefBetween(path, 'style.css'),
  scriptHref: hrefBetween(path, 'search.js'),
  home: { href: hrefBetween(path, 'index.html'), text: 'Weir' },
})

/** Adds a page, with links to the pages of its section and to the first pages of other sections. */
function writePage({ made, sections, titles }: Making, { path, title, body }: Written): void {
  const linkTo = (to: string, text: string) => ({
    href: hrefBetween(path, to),
    text,
    isHere: to === path,
  })
  const links = sections.flatMap((section) => {
    const [first] = section.pages
    if (first === undefined) return []
    const isHere = section.pages.some((page) => htmlOf(page) === path)
    if (!isHere) return [linkTo(htmlOf(first), `${section.title} …`)]
    return section.pages.map((page) => linkTo(htmlOf(page), titles.get(page) ?? page))
  })
  made.set(path, pageOf({ title: `${title} · Weir`, body, links, ...framesOf(path) }))
}

/** Adds a page with a file's content, or with a folder's list of files. */
async function writeShown(making: Making, path: string, files: readonly string[]): Promise<void> {
  const heading = `<h1>${escapeHtml(path)}</h1>`
  const inside = files.filter((file) => file.startsWith(`${path}/`))
  const list = inside.map((file) =>
    isPage(file)
      ? `<li><a href="${hrefBetween(htmlOf(path), htmlOf(file))}">${escapeHtml(file)}</a></li>`
      : `<li>${escapeHtml(file)}</li>`,
  )
  const body =
    inside.length > 0
      ? `${heading}<ul>${list.join('\n')}</ul>`
      : `${heading}<pre><code>${escapeHtml(await read(path))}</code></pre>`
  writePage(making, { path: htmlOf(path), title: path, body })
}

const apiPathOf = (file: string): string => siteOf(file).replace(/\.json$/, '.html')

async function writeApi({ made }: Making, file: string): Promise<void> {
  const text = await read(file)
  const path = apiPathOf(file)
  const page = apiPageOf({
    document: objectIn(text),
    documentHref: hrefBetween(path, siteOf(file)),
    pageOfCode: (code) => hrefBetween(path, `errors/${code}.html`),
    ...framesOf(path),
  })
  made.set(path, page)
  made.set(siteOf(file), text)
}

function objectIn(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {}
}
