// The pages of docs/errors, one for each code, read once at the start. A code that has no file has no page: nothing of what
// is asked for becomes a path.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { renderMarkdown } from './markdown.ts'
import { pageOf } from './page.ts'

export type ErrorPages = {
  /** HTML; undefined for a code that nobody knows. */
  page(code: string): string | undefined
  /** All of them, one line each. */
  index(): string
}

const folder = join(import.meta.dirname, '../../../docs/errors')
const home = { href: '/docs', text: 'Weir' }
const styleHref = '/docs/style.css'

/** Under `/docs` of a service. */
export async function createErrorPages(): Promise<ErrorPages> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.md')).sort()
  const texts = new Map<string, string>()
  for (const file of files)
    texts.set(file.slice(0, -'.md'.length), await readFile(join(folder, file), 'utf8'))
  const codes = [...texts.keys()]
  const links = (here?: string) =>
    codes.map((code) => ({ href: `/docs/errors/${code}`, text: code, isHere: code === here }))
  return {
    page(code) {
      const text = texts.get(code)
      if (text === undefined) return undefined
      const { title, html } = renderMarkdown(withoutFiles(text))
      return pageOf({ title: `${title} · Weir`, body: html, styleHref, home, links: links(code) })
    },
    index() {
      const body = ['# Errors', ...codes.map((code) => lineOf(code, texts.get(code) ?? ''))]
      const { title, html } = renderMarkdown(body.join('\n\n'))
      return pageOf({ title: `${title} · Weir`, body: html, styleHref, home, links: links() })
    },
  }
}

const lineOf = (code: string, text: string): string => {
  const [, first = ''] = /## What happened\n\n(.*?[.:])(?:\s|$)/s.exec(text) ?? []
  return `[\`${code}\`](/docs/errors/${code}): ${first.replace(/:$/, '.')}`
}

/** Other documents are not served here: links to them become their text. */
const withoutFiles = (text: string): string => text.replace(/\[([^\]]+)\]\(\.\.\/[^)]+\)/g, '$1')
