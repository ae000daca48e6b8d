// The pages of docs/errors, one per code, read once at the start. Only codes with a file have a page, so a request is
// never used as a path. The line under a page's title names the services that return the code: `ingest 413 · auth 413`.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renderMarkdown } from './markdown.ts'
import { pageOf } from './page.ts'

export type ErrorPages = {
  /** HTML; undefined for an unknown code. */
  page(code: string): string | undefined
  /** All codes, in a table for each service. */
  index(): string
}

const folder = join(import.meta.dirname, '../../../docs/errors')
const home = { href: '/docs', text: 'Weir' }
const styleHref = '/docs/style.css'

/** The pages that a service serves under `/docs`. */
export async function createErrorPages(): Promise<ErrorPages> {
  const texts = await readErrorPages()
  const codes = [...texts.keys()]
  const links = (here?: string) =>
    codes.map((code) => ({ href: `/docs/errors/${code}`, text: code, isHere: code === here }))
  const htmlOf = (text: string, here?: string): string => {
    const { title, html } = renderMarkdown(text)
    return pageOf({ title: `${title} · Weir`, body: html, styleHref, home, links: links(here) })
  }
  return {
    page(code) {
      const text = texts.get(code)
      return text === undefined ? undefined : htmlOf(withoutFiles(text), code)
    },
    index: () => htmlOf(`# Errors\n\n${errorTables(texts, (code) => `/docs/errors/${code}`)}`),
  }
}

/** Markdown by code, in the order of codes. */
export async function readErrorPages(): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort()
  const texts = new Map<string, string>()
  for (const file of files)
    texts.set(file.slice(0, -'.md'.length), await readFile(join(folder, file), 'utf8'))
  return texts
}

export type CodeAnswered = {
  /** `ingest`, `auth`, `output` or `WebSocket`. */
  readonly by: string
  readonly status: number
}

/** The services that return a code, from the code's page. */
export const answersIn = (page: string): readonly CodeAnswered[] =>
  (page.split('\n')[2] ?? '').split(' · ').flatMap((answer) => {
    const [, by, status] = /^(\w+) (\d+)$/.exec(answer) ?? []
    return by === undefined ? [] : [{ by, status: Number(status) }]
  })

const answering: Readonly<Record<string, string>> = {
  ingest: 'Codes of ingest',
  auth: 'Codes of auth',
  output: 'Codes of output',
  WebSocket: 'Codes of a refused WebSocket',
}

/** All codes with their links, in a table for each service. */
export function errorTables(
  pages: ReadonlyMap<string, string>,
  hrefOf: (code: string) => string,
): string {
  return Object.entries(answering)
    .map(([by, heading]) => {
      const rows = [...pages].flatMap(([code, page]) =>
        answersIn(page)
          .filter((answer) => answer.by === by)
          .map(({ status }) => ({ status, code, meaning: meaningIn(page) })),
      )
      const lines = rows
        .toSorted((a, b) => a.status - b.status)
        .map(
          ({ status, code, meaning }) =>
            `| ${status} | [\`${code}\`](${hrefOf(code)}) | ${meaning} |`,
        )
      return [`## ${heading}`, '', '| status | code | meaning |', '| - | - | - |', ...lines].join(
        '\n',
      )
    })
    .join('\n\n')
}

/** The first sentence of the page's explanation. */
const meaningIn = (page: string): string => {
  const [, first = ''] = /## What happened\n\n(.*?[.:])(?:\s|$)/s.exec(page) ?? []
  return withoutFiles(first).replace(/:$/, '.').replaceAll('|', '\\|')
}

/** Links to other documents become plain text, because these are not served here. */
const withoutFiles = (text: string): string => text.replace(/\[([^\]]+)\]\(\.\.\/[^)]+\)/g, '$1')
