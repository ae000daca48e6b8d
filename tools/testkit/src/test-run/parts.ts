// Runs the steps of a test run, records their durations, and formats the final table.

import { sumOf } from './files.ts'
import type { FileOutcome, Files } from './files.ts'
import type { Seconds } from './seconds.ts'
import type { Tally } from './static-checks.ts'

export type RunPart = Tally & {
  name: string
  tookSeconds: number
  /** Only set for jest's steps. */
  files?: Files
}

export type Parts = {
  /** Runs one step and keeps its outcome. */
  run(name: string, part: () => Promise<Tally & { files?: Files }>): Promise<void>
  /** Replaces a file's first outcome by that of its second try. */
  replace(file: string, second: FileOutcome): void
  all(): readonly RunPart[]
}

export function createParts(now = () => performance.now()): Parts {
  let parts: readonly RunPart[] = []
  return {
    async run(name, part) {
      const startedAt = now()
      const outcome = await part()
      parts = [...parts, { name, ...outcome, tookSeconds: (now() - startedAt) / 1000 }]
    },
    replace(file, second) {
      parts = parts.map((part) => replaced(part, file, second))
    },
    all: () => parts,
  }
}

function replaced(part: RunPart, file: string, second: FileOutcome): RunPart {
  const first = part.files?.[file]
  if (first === undefined) return part
  const taken = { passed: -first.passed, failed: -first.failed, skipped: -first.skipped }
  return { ...part, ...sumOf([part, taken, second]), files: { ...part.files, [file]: second } }
}

export const filesOf = (parts: readonly RunPart[]): Files =>
  Object.assign({}, ...parts.map(({ files }) => files))

export const secondsOf = (parts: readonly RunPart[]): Seconds =>
  Object.fromEntries(Object.entries(filesOf(parts)).map(([file, { seconds }]) => [file, seconds]))

const SLOWEST = 8

/** Returns a line for each step, then the slowest files. */
export function partTableOf(parts: readonly RunPart[]): string {
  const rows = parts.map(({ name, tookSeconds, files, passed, failed }) => {
    const of = files === undefined ? 'checks' : `tests in ${Object.keys(files).length} files`
    return `${name.padEnd(22)} ${inSeconds(tookSeconds)}  ${passed + failed} ${of}`
  })
  const all = parts.reduce((sum, { tookSeconds }) => sum + tookSeconds, 0)
  const slowest = Object.entries(secondsOf(parts))
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([file, took]) => `${inSeconds(took)}  ${file}`)
  return [...rows, `${'together'.padEnd(22)} ${inSeconds(all)}`, ...slowest].join('\n')
}

const inSeconds = (seconds: number): string => `${seconds.toFixed(1).padStart(7)} s`
