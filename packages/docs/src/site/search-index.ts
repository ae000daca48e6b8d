// The search index: one entry for each section of each page. It is a script, because a page that was opened from a file
// may not fetch other files.
import { visibleTextOf } from '../markdown.ts'

export type SearchEntry = {
  /** Relative to the top of the site. */
  readonly href: string
  readonly page: string
  /** The section's heading; empty above the first heading. */
  readonly heading: string
  readonly text: string
  readonly isGuide: boolean
}

export type SearchedPage = {
  readonly path: string
  readonly title: string
  readonly html: string
  readonly isGuide: boolean
}

export function searchEntriesOf({ path, title, html, isGuide }: SearchedPage): SearchEntry[] {
  return html.split(/(?=<h[1-6] id=")/).flatMap((part) => {
    const [whole = '', rank, id, heading = ''] =
      /^<h(\d) id="([^"]*)">(.*?)<\/h\d>/s.exec(part) ?? []
    const text = visibleTextOf(part.slice(whole.length)).replace(/\s+/g, ' ').trim()
    if (whole === '' && text === '') return []
    const isTitle = rank === undefined || rank === '1'
    return [
      {
        href: isTitle ? path : `${path}#${id}`,
        page: title,
        heading: isTitle ? '' : visibleTextOf(heading),
        text,
        isGuide,
      },
    ]
  })
}

export const searchIndexOf = (entries: readonly SearchEntry[]): string =>
  `globalThis.weirSearchIndex = ${JSON.stringify(entries)}\n`
