// Builds the site: every Markdown file of the repository as a page, the API of each service, and the files that they
// link to. The build and the pages need nothing from other hosts. Fails if a link is broken.
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import {
  apiPageOf,
  errorTables,
  escapeHtml,
  pageOf,
  readErrorPages,
  renderMarkdown,
  style,
} from '@weir/docs'

import { cliPage, cliPagePath } from '../pages/cli-page.ts'
import { openApiPathOf, servicesWithApi } from '../pages/openapi-files.ts'
import { REPOSITORY } from '@weir/devstack'
import { createLinker, hrefBetween, htmlOf } from './links.ts'
import type { Linker } from './links.ts'
import { isPage, repositoryFiles, sectionsOf } from './sources.ts'
import type { Section } from './sources.ts'

export type Site = { readonly pages: number; readonly broken: readonly string[] }

type Making = {
  readonly folder: string
  readonly texts: ReadonlyMap<string, string>
  readonly titles: ReadonlyMap<string, string>
  readonly sections: readonly Section[]
  readonly linker: Linker
}

const read = (file: string): Promise<string> => readFile(join(REPOSITORY, file), 'utf8')

export async function buildSite(folder: string): Promise<Site> {
  await rm(folder, { recursive: true, force: true })
  const files = await repositoryFiles()
  const making = await readPages(folder, files)
  const { linker, texts } = making
  await write(making, 'style.css', style)
  for (const [page, text] of texts) {
    const { title, html } = renderMarkdown(text, (href) => linker.linkTo(page, href))
    await writePage(making, { path: htmlOf(page), title, body: html })
  }
  for (const path of linker.shown) await writeShown(making, path, files)
  for (const image of linker.images) await copy(image, folder)
  for (const service of servicesWithApi) await writeApi(making, service)
  await writePage(making, { path: 'index.html', title: 'Weir', body: homeOf(making) })
  return { pages: texts.size + linker.shown.size, broken: linker.broken }
}

async function readPages(folder: string, files: readonly string[]): Promise<Making> {
  const texts = new Map<string, string>()
  const titles = new Map<string, string>()
  const ids = new Map<string, ReadonlySet<string>>()
  for (const file of [...files.filter(isPage), cliPagePath]) {
    const text = await textOf(file)
    const { title, headings } = renderMarkdown(text)
    texts.set(file, text)
    titles.set(file, title)
    ids.set(file, new Set(headings.map(({ id }) => id)))
  }
  const idsOf = (page: string) => ids.get(page) ?? new Set<string>()
  const linker = createLinker({ files: new Set(files), idsOf })
  return { folder, texts, titles, sections: sectionsOf([...texts.keys()]), linker }
}

/** Some pages are generated: the commands' page from their help, and the list of errors from their pages. */
async function textOf(file: string): Promise<string> {
  if (file === cliPagePath) return cliPage()
  if (file !== 'docs/errors.md') return read(file)
  const tables = errorTables(await readErrorPages(), (code) => `errors/${code}.md`)
  return `${await read(file)}\n${tables}\n`
}

async function write({ folder }: Making, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

type Written = { readonly path: string; readonly title: string; readonly body: string }

/** The page gets links to the pages of its section, and to the first pages of the other sections. */
async function writePage(making: Making, { path, title, body }: Written): Promise<void> {
  const { sections, titles } = making
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
  const home = { href: hrefBetween(path, 'index.html'), text: 'Weir' }
  const styleHref = hrefBetween(path, 'style.css')
  await write(making, path, pageOf({ title: `${title} · Weir`, body, styleHref, home, links }))
}

/** A file's content, or a folder's listing. */
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
  await writePage(making, { path: htmlOf(path), title: path, body })
}

async function copy(file: string, folder: string): Promise<void> {
  await mkdir(dirname(join(folder, file)), { recursive: true })
  await cp(join(REPOSITORY, file), join(folder, file))
}

async function writeApi(making: Making, service: (typeof servicesWithApi)[number]): Promise<void> {
  const text = await read(openApiPathOf(service))
  const path = `docs/openapi/${service}.html`
  const page = apiPageOf({
    document: objectIn(text),
    documentHref: `${service}.json`,
    styleHref: hrefBetween(path, 'style.css'),
    home: { href: hrefBetween(path, 'index.html'), text: 'Weir' },
    pageOfCode: (code) => hrefBetween(path, `docs/errors/${code}.html`),
  })
  await write(making, path, page)
  await write(making, openApiPathOf(service), text)
}

function objectIn(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value))
    : {}
}

function homeOf({ sections, titles }: Making): string {
  const parts = sections.map(({ title, pages }) => {
    const list = pages.map(
      (page) => `<li><a href="${htmlOf(page)}">${escapeHtml(titles.get(page) ?? page)}</a></li>`,
    )
    return `<h2>${title}</h2><ul>${list.join('\n')}</ul>`
  })
  const apis = servicesWithApi.map(
    (service) => `<li><a href="docs/openapi/${service}.html">HTTP interface of ${service}</a></li>`,
  )
  return `<h1>Weir</h1><p>Event collection with consent built in, on Apache Kafka.</p>${parts.join('\n')}<h2>HTTP</h2><ul>${apis.join('')}</ul>`
}
