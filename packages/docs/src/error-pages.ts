// The pages of docs/errors, one per code. The line under a page's title names the services that return the code:
// `ingest 413 · auth 413`.
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '../../../docs/errors')

/** Returns the Markdown of each page by code, sorted by code. */
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

/** Returns the services that return a code, according to its page. */
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

/** Returns all codes with links to their pages, in a table for each service. */
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

/** Returns the first sentence of the page's explanation. */
const meaningIn = (page: string): string => {
  const [, first = ''] = /^#[^\n]*\n\n[^\n]*\n\n(.*?[.:])(?:\s|$)/s.exec(page) ?? []
  return withoutFiles(first).replace(/:$/, '.').replaceAll('|', '\\|')
}

/** Replaces links to other documents by their text, because relative links of the page don't work in the table. */
const withoutFiles = (text: string): string => text.replace(/\[([^\]]+)\]\(\.\.\/[^)]+\)/g, '$1')
