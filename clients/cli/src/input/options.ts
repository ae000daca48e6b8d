// Parses arguments and options: numbers, levels, durations, addresses. A wrong value ends the command with exit code 2
// before anything is sent.
import { InvalidArgumentError, Option } from 'commander'
import type { Command } from 'commander'
import { misuse } from '../errors.ts'

/** Collects repeated options, such as `--tag a --tag b`. */
export const collectText = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
]

export function collectLevel(text: string, before: readonly number[] = []): readonly number[] {
  if (!/^\d+(,\d+)+$/.test(text)) return [...before, levelArgument(text)]
  const each = text.split(',').map((level) => `--level ${level}`)
  throw new InvalidArgumentError(`Give each level with its own option: ${each.join(' ')}`)
}

export function levelArgument(text: string): number {
  const level = wholeNumber(text)
  if (level > 255) throw new InvalidArgumentError('A consent level is a number from 0 to 255.')
  return level
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export function positiveNumber(text: string): number {
  const number = wholeNumber(text)
  if (number === 0) throw new InvalidArgumentError('It must be 1 or more.')
  return number
}

/** The API represents limits as strings of digits. */
export const digits = (text: string): string => String(positiveNumber(text))

/** Parses a number of hours, or `broker` for Kafka's own setting. */
export const hoursOrBroker = (text: string): number | 'broker' =>
  text === 'broker' ? text : positiveNumber(text)

const agoMs: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Parses `500ms`, `10s`, `2m` or `1h`. A number alone is in seconds. Returns milliseconds, at most a day. */
export function duration(text: string): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const ms = Number(number) * (unitsMs[unit] ?? 0)
  if (number === '' || ms <= 0 || ms > 86_400_000) {
    throw new InvalidArgumentError('It must be a time such as 500ms, 10s, 2m or 1h, at most 24h.')
  }
  return ms
}

/** Returns epoch milliseconds. A date without a time means midnight UTC. `-90m`, `-1h` and `-7d` count from now. */
export function timeOption(text: string): number {
  if (text === 'now') return Date.now()
  const [, number = '', unit = ''] = /^-(\d+)([smhd])$/.exec(text) ?? []
  if (number !== '') return Date.now() - Number(number) * (agoMs[unit] ?? 0)
  const [, day = ''] =
    /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.exec(text) ?? []
  const ms = isOnCalendar(day) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw new InvalidArgumentError(
      'It must be a day such as 2026-11-21, a time with its zone such as 2026-11-21T10:00Z, now, or -1h.',
    )
  return ms
}

/** @throws a misuse if no time can be between the two */
export function requireSpan({ from, until }: { from?: number; until?: number }): void {
  if (from !== undefined && until !== undefined && from >= until)
    throw misuse(
      '--from is not before --until',
      '--until is excluded: for one day, give the next day. Otherwise swap them, or leave one out.',
    )
}

/** `Date.parse` takes 31 November for 1 December. */
function isOnCalendar(day: string): boolean {
  const ms = Date.parse(day)
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(day)
}

export function dayOption(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && isOnCalendar(text)) return text
  throw new InvalidArgumentError('It must be a day such as 2026-12-24.')
}

/** Like `timeOption`, but returns a text for the services, which check dates and times themselves. */
export function timeText(text: string): string {
  if (text === 'now' || text.startsWith('-')) return new Date(timeOption(text)).toISOString()
  if (/^\d/.test(text)) return text
  throw new InvalidArgumentError('It must look like 2026-11-21, 2026-11-21T10:00:00Z, now or -6h.')
}

export function httpAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('It must be a URL such as https://auth.example.org.')
  }
  return text.replace(/\/+$/, '')
}

export function brokerList(text: string): string {
  if (text.split(',').every((broker) => /^[^\s/]+:\d+$/.test(broker.trim()))) return text
  throw new InvalidArgumentError(
    'It must look like kafka.example.org:9094; commas separate several.',
  )
}

const formatHelp: Readonly<Record<string, string>> = {
  table: 'table for people',
  json: 'json for programs',
  csv: 'csv for spreadsheets',
  jsonl: 'jsonl for a JSON object per line',
  parquet: 'parquet for a column store',
}

export const tableOrJson = ['table', 'json'] as const

/**
 * Adds the option `-o` for the formats that a command can print. Commands without this option print a table or JSON.
 */
export const withFormats = (command: Command, formats: readonly string[]): Command =>
  command.addOption(
    new Option(
      '-o, --output <format>',
      formats.map((format) => formatHelp[format]).join(', '),
    ).choices(formats),
  )

/** Returns the option `-o` of a command, otherwise of its noun, otherwise of the program. */
export const outputOptionOf = ({ options, parent }: Command): Option | undefined =>
  options.find(({ long }) => long === '--output') ?? (parent ? outputOptionOf(parent) : undefined)

export const withExamples = (
  command: Command,
  ...examples: readonly (readonly [line: string, purpose: string])[]
): Command =>
  command.addHelpText(
    'after',
    [
      '',
      'Examples:',
      ...examples.flatMap(([line, purpose]) => [`  # ${purpose}`, `  $ ${line}`]),
    ].join('\n'),
  )
