// Creates the first page of the site: all documents, grouped by the work of their readers.
import { escapeHtml } from '../markdown.ts'
import { htmlOf } from './links.ts'
import type { Section } from './sources.ts'

export type HomePage = {
  readonly sections: readonly Section[]
  readonly titles: ReadonlyMap<string, string>
  /** The pages of HTTP interfaces, `openapi/<service>.html`. */
  readonly apis: readonly string[]
}

export function homeBody({ sections, titles, apis }: HomePage): string {
  const linkTo = (href: string, text: string) =>
    `<li><a href="${href}">${escapeHtml(text)}</a></li>`
  const parts = sections
    .filter(({ pages }) => pages.length > 0)
    .map(({ title, says, pages }) => {
      const list = pages.map((page) => linkTo(htmlOf(page), titles.get(page) ?? page))
      const interfaces = title === 'Reference' ? apis.map((path) => linkTo(path, nameOf(path))) : []
      const intro = says === undefined ? '' : `<p>${says}</p>`
      return `<h2>${title}</h2>${intro}<ul>${[...interfaces, ...list].join('\n')}</ul>`
    })
  return `<h1>Weir</h1><p>Event collection with consent built in, on Apache Kafka.</p>${parts.join('\n')}`
}

const nameOf = (path: string): string => `HTTP interface of ${path.replace(/^.*\/|\.html$/g, '')}`
