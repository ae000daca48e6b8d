// The syntax of arguments and options: numbers, levels, durations, addresses. A wrong one ends the command with exit
// code 2 before anything is sent.
import { InvalidArgumentError } from 'commander'
import type { Command } from 'commander'

/** Repeated options: `--tag a --tag b`. */
export const collectText = (text: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  text,
]

export function collectLevel(text: string, before: readonly number[] = []): readonly number[] {
  const level = wholeNumber(text)
  if (level > 255) throw new InvalidArgumentError('A consent level is a number from 0 to 255.')
  return [...before, level]
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

/** Kafka's own setting, or a number of hours. */
export const hoursOrBroker = (text: string): number | 'broker' =>
  text === 'broker' ? text : positiveNumber(text)

const unitsMs: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `500ms`, `10s`, `2m`, `1h`; a number without unit is in seconds. Returns milliseconds, at most a day. */
export function duration(text: string): number {
  const [, number = '', unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  const ms = Number(number) * (unitsMs[unit] ?? 0)
  if (number === '' || ms <= 0 || ms > 86_400_000) {
    throw new InvalidArgumentError('It must be a time such as 500ms, 10s, 2m or 1h, at most 24h.')
  }
  return ms
}

/** In epoch ms. A date without time means midnight UTC. */
export function timeOption(text: string): number {
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const ms = isTime ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('It must look like 2026-11-21 or 2026-11-21T10:00:00Z.')
  return ms
}

export function httpAddress(text: string): string {
  const url = URL.parse(text)
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('It must be a URL such as https://auth.example.org.')
  }
  return text.replace(/\/+$/, '')
}

/** Adds examples to `--help`: command lines and their purpose. */
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
