// Reads the project's Markdown for tests that compare documents with code: tables by their heading, and code blocks. It
// supports only the simple Markdown of this project.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'

export const readDocument = (path: string): Promise<string> =>
  readFile(join(REPOSITORY, path), 'utf8')

/** The cells of all table rows between a heading and the next heading of the same level, without header rows. */
export function rowsUnder(markdown: string, heading: string): string[][] {
  const rows: string[][] = []
  for (const line of sectionOf(markdown, heading)) {
    if (/^\|[-| ]+\|$/.test(line)) rows.pop()
    else if (line.startsWith('|')) rows.push(cellsOf(line))
  }
  return rows
}

function sectionOf(markdown: string, heading: string): string[] {
  const lines = markdown.split('\n')
  const start = lines.indexOf(heading)
  if (start === -1) throw new Error(`there is no heading «${heading}»`)
  const rank = heading.indexOf(' ')
  const isNext = (line: string) => /^#+ /.test(line) && line.indexOf(' ') <= rank
  const end = lines.findIndex((line, index) => index > start && isNext(line))
  return lines.slice(start + 1, end === -1 ? lines.length : end)
}

/** Cells without their links and code marks, so that [`KEY`](page.md), `KEY` and KEY are equal. */
const cellsOf = (line: string): string[] =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim().replace(/^\[(.*)\]\([^)]*\)$/, '$1'))
    .map((cell) => cell.replace(/^`([^`]*)`$/, '$1'))
