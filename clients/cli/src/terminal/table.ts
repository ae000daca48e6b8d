// Tables for people: aligned columns of text, no colours, no lines. Text from a service can't control the terminal,
// because control characters are escaped.
import { isObject } from '../json.ts'

export function renderTable(
  header: readonly string[],
  rows: readonly (readonly unknown[])[],
): string {
  const lines = [header, ...rows.map((row) => row.map(cellText))]
  const widths = header.map((_, column) =>
    Math.max(...lines.map((line) => widthOf(line[column] ?? ''))),
  )
  return lines.map((line) => renderLine(line, widths)).join('\n')
}

/** Renders a record with one member per line. A nested member is shown with its path. */
export function renderDetails(record: unknown): string {
  const rows = flatten(record, '')
  const width = Math.max(0, ...rows.map(([path]) => widthOf(path)))
  return rows.map(([path, text]) => `${pad(path, width)}  ${text}`.trimEnd()).join('\n')
}

function flatten(value: unknown, path: string): [string, string][] {
  const below = (key: string): string => (path === '' ? key : `${path}.${key}`)
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, member]) => flatten(member, below(key)))
  }
  if (Array.isArray(value) && value.some((item) => typeof item === 'object' && item !== null)) {
    // A single item, such as the credentials of a new stream, needs no number.
    if (value.length === 1) return flatten(value[0], path)
    return value.flatMap((item, index) => flatten(item, below(String(index + 1))))
  }
  return [[visible(path), cellText(value)]]
}

function cellText(value: unknown): string {
  if (value === undefined || value === null) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.map(cellText).join(', ')
  if (typeof value === 'string') return value === '' ? '-' : visible(value)
  return visible(JSON.stringify(value))
}

/** Escapes control characters and marks that change the direction of text. */
export function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const widthOf = (text: string): number => Array.from(text).length

const pad = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

const renderLine = (cells: readonly string[], widths: readonly number[]): string =>
  widths
    .map((width, column) => pad(cells[column] ?? '', width))
    .join('  ')
    .trimEnd()
