// The project's Markdown as tests read it, to hold documents against code: tables by their heading, and
// code blocks. It knows the simple Markdown that this project writes and no more.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ConfigKey } from '@weir/kit'

import { REPOSITORY } from './test-run/tools.ts'

export const readDocument = (path: string): Promise<string> =>
  readFile(join(REPOSITORY, path), 'utf8')

/** The cells of all table rows between a heading and the next one of its rank; header rows left out. */
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

/** Cells without their code marks: `KEY` and KEY are the same. */
const cellsOf = (line: string): string[] =>
  line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim().replace(/^`([^`]*)`$/, '$1'))

// --- settings: docs/configuration.md and a service's config.ts ---

type Setting = { key: string; fallback: string }

export async function documentedSettings(service: string): Promise<Setting[]> {
  const rows = rowsUnder(await readDocument('docs/configuration.md'), `## ${service}`)
  return rows.map(([key = '', fallback = '']) => ({ key, fallback }))
}

/** What the document should say of these keys. */
export const settingsOf = (keys: readonly ConfigKey[]): Setting[] =>
  keys.map(({ key, required, fallback }) => ({
    key,
    fallback: required ? 'required' : textOf(fallback),
  }))

function textOf(fallback: unknown): string {
  if (fallback === undefined) return 'none'
  if (Array.isArray(fallback)) return fallback.join(',')
  return typeof fallback === 'string' ? fallback : JSON.stringify(fallback)
}

// --- refusals: docs/errors.md and a service's errors.ts ---

type Refusal = { status: number; code: string }

export async function documentedRefusals(heading: string): Promise<Refusal[]> {
  const rows = rowsUnder(await readDocument('docs/errors.md'), `## ${heading}`)
  return rows.map(([status = '', code = '']) => ({ status: Number(status), code }))
}
