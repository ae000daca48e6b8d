// docs/guarantees.md names a test for each promise. In a complete run, each of these tests must pass. Those marked
// «(soak)» must pass only in `npm run soak`.

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'

import type { Files } from './files.ts'
import type { Tally } from './static-checks.ts'

export type Row = { file: string; name: string; isSoaked: boolean }

export const readGuarantees = (): Promise<string> =>
  readFile(join(REPOSITORY, 'docs/guarantees.md'), 'utf8')

export const rowsOf = (page: string): Row[] =>
  [...page.matchAll(/^- .*\n {2}`([^`]+)`: «([^»]+)»(.*)$/gm)].map(
    ([, file = '', name = '', rest = '']) => ({ file, name, isSoaked: rest === ' (soak)' }),
  )

/** Returns a line for each row whose test did not pass. */
export const notHeld = (rows: readonly Row[], ran: Files): string[] =>
  rows
    .filter(({ file, name }) => !ran[file]?.passes.some((passed) => patternOf(name).test(passed)))
    .map(({ file, name }) => `not held: ${file} › ${name}`)

/** Turns a test title of the source into a pattern, in which jest's placeholders match any text. */
const patternOf = (name: string): RegExp =>
  new RegExp(
    name
      .split(/%[a-z]|\$[a-z]\w*/i)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*'),
  )

/** Prints the rows whose test did not pass. */
export async function checkGuarantees(ran: Files, all: boolean): Promise<Tally> {
  const rows = rowsOf(await readGuarantees()).filter(({ isSoaked }) => all || !isSoaked)
  const missing = notHeld(rows, ran)
  for (const line of missing) console.log(line)
  return { passed: rows.length - missing.length, failed: missing.length, skipped: 0 }
}
