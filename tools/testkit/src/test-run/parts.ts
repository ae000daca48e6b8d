// The parts of a test run, how long each took, and the table of them that closes it.

import type { Seconds } from './seconds.ts'
import { NOTHING } from './static-checks.ts'
import type { Tally } from './static-checks.ts'

/** What jest tells beyond the counts. */
type Files = { seconds?: Seconds; whole?: Readonly<Record<string, number>> }

export type Part = Tally & Files & { name: string; tookSeconds: number }

export type Parts = {
  /** Runs one and keeps what became of it. */
  run(name: string, part: () => Promise<Tally & Files>): Promise<void>
  all(): readonly Part[]
}

export function createParts(now = () => performance.now()): Parts {
  const parts: Part[] = []
  return {
    async run(name, part) {
      const startedAt = now()
      const outcome = await part()
      parts.push({ name, ...outcome, tookSeconds: (now() - startedAt) / 1000 })
    },
    all: () => parts,
  }
}

export function sumOf(tallies: readonly Tally[]): Tally {
  const total = { ...NOTHING }
  for (const { passed, failed, skipped } of tallies) {
    total.passed += passed
    total.failed += failed
    total.skipped += skipped
  }
  return total
}

export function secondsOf(parts: readonly Part[]): Seconds {
  return Object.assign({}, ...parts.map(({ seconds }) => seconds))
}

/** How many tests each file has that passed as a whole. */
export function wholeOf(parts: readonly Part[]): Readonly<Record<string, number>> {
  return Object.assign({}, ...parts.map(({ whole }) => whole))
}

const SLOWEST = 8

/** A line for each part, then the files that took longest. */
export function tableOf(parts: readonly Part[]): string {
  const rows = parts.map(({ name, tookSeconds, seconds, passed, failed }) => {
    const files = seconds === undefined ? 0 : Object.keys(seconds).length
    const what = `${passed + failed} ${seconds === undefined ? 'checks' : `tests in ${files} files`}`
    return `${name.padEnd(22)} ${inSeconds(tookSeconds)}  ${what}`
  })
  const all = parts.reduce((sum, { tookSeconds }) => sum + tookSeconds, 0)
  const slowest = Object.entries(secondsOf(parts))
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
    .map(([file, took]) => `${inSeconds(took)}  ${file}`)
  return [...rows, `${'together'.padEnd(22)} ${inSeconds(all)}`, ...slowest].join('\n')
}

const inSeconds = (seconds: number): string => `${seconds.toFixed(1).padStart(7)} s`
