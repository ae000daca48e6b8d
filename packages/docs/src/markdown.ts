// Renders this project's Markdown as HTML. Raw HTML in a document is shown as text, so a page contains only tags that
// are generated here. Headings get the same ids as on GitHub, so that links to a section work in both places.
import { Marked } from 'marked'

export type Heading = { readonly rank: number; readonly id: string; readonly text: string }

export type Rendered = {
  /** The text of the first heading. */
  readonly title: string
  readonly html: string
  readonly headings: readonly Heading[]
}

/** Maps a link in a document to its target on the site. */
export type LinkTo = (href: string) => string

export function renderMarkdown(markdown: string, linkTo: LinkTo = (href) => href): Rendered {
  const headings: Heading[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens)
        const text = visibleTextOf(html)
        const id = uniqueId(slugOf(text), headings)
        headings.push({ rank: depth, id, text })
        return `<h${depth} id="${id}">${html}</h${depth}>\n`
      },
      link({ href, tokens }) {
        return `<a href="${escapeHtml(linkTo(href))}">${this.parser.parseInline(tokens)}</a>`
      },
      image({ href, text }) {
        return `<img src="${escapeHtml(linkTo(href))}" alt="${escapeHtml(text)}">`
      },
      html({ text }) {
        return escapeHtml(text)
      },
    },
  })
  const html = marked.parse(markdown, { async: false })
  return { title: headings[0]?.text ?? '', html, headings }
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => escapes[character] ?? '')

/** Returns the visible text of rendered inline Markdown. */
export const visibleTextOf = (html: string): string =>
  html
    .replace(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')

/** Returns GitHub's id for a heading's text. */
const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-')

function uniqueId(slug: string, taken: readonly Heading[]): string {
  const before = taken.filter(({ id }) => id === slug || id.startsWith(`${slug}-`)).length
  return before === 0 || taken.every(({ id }) => id !== slug) ? slug : `${slug}-${before}`
}
