// The outcomes of a test run's files, and how a second try changes an outcome.

import type { Tally } from './static-checks.ts'
import { NOTHING } from './static-checks.ts'

export type FileOutcome = Tally & {
  seconds: number
  /** The full names of the passed tests. */
  passes: readonly string[]
  /** The names of the failed tests, or why the file could not be run. */
  failures: readonly string[]
}

/** The outcomes by the file's path within the repository. */
export type Files = Readonly<Record<string, FileOutcome>>

export const failedFiles = (files: Files): string[] =>
  Object.keys(files).filter((file) => (files[file]?.failed ?? 0) > 0)

export function sumOf(tallies: readonly Tally[]): Tally {
  const total = { ...NOTHING }
  for (const { passed, failed, skipped } of tallies) {
    total.passed += passed
    total.failed += failed
    total.skipped += skipped
  }
  return total
}
