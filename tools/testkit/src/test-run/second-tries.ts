// A failed test file gets one second try, alone. If the second try passes, the run passes, and lists the tests that
// failed at first. A file that needs a second try in three runs in a row fails the third run, so that no fault stays
// hidden for long. If many files fail, the code is probably the cause, and no file gets a second try.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { REPOSITORY } from '@weir/devstack'
import { z } from 'zod'

import { failedFiles } from './files.ts'
import type { FileOutcome, Files } from './files.ts'
import { filesOf } from './parts.ts'
import type { Parts } from './parts.ts'

const FILES_MAX = 3
const RUNS_MAX = 3
const KEPT = join(REPOSITORY, '.weir', 'second-tries.json')

const keptForm = z.record(
  z.string(),
  z.object({ runsInARow: z.number(), failures: z.array(z.string()) }),
)

/**
 * The files that passed only at the second try, each with the number of such runs in a row, and with the tests that
 * failed at first in the latest run.
 */
export type Kept = Readonly<z.infer<typeof keptForm>>

export type SecondTries = {
  /** Retries the failed files, unless there are too many. */
  run(again: (file: string, part: string) => Promise<FileOutcome> | undefined): Promise<void>
  /** The tests that passed only at the second try. */
  needed(): Files
}

export function createSecondTries(parts: Parts): SecondTries {
  const tried = new Map<string, FileOutcome>()
  return {
    async run(again) {
      const failed = failedFiles(filesOf(parts.all())).filter((file) => !tried.has(file))
      if (failed.length + tried.size > FILES_MAX) return
      for (const { name, files = {} } of parts.all())
        for (const file of failed) {
          const first = files[file]
          const second = first && (await again(file, name))
          if (first === undefined || second === undefined) continue
          tried.set(file, first)
          parts.replace(file, second)
        }
    },
    needed() {
      const now = filesOf(parts.all())
      return Object.fromEntries([...tried].filter(([file]) => now[file]?.failed === 0))
    },
  }
}

export const toldOf = (needed: Files): string[] =>
  Object.entries(needed).flatMap(([file, { failures }]) =>
    failures.map((name) => `second try: ${file} › ${name}`),
  )

/** Returns the state after a run. Files that did not run keep their state. */
export function afterRun(kept: Kept, ran: Files, needed: Files): Kept {
  const others = Object.entries(kept).filter(([file]) => ran[file] === undefined)
  const again = Object.entries(needed).map(([file, { failures }]): [string, Kept[string]] => [
    file,
    { runsInARow: (kept[file]?.runsInARow ?? 0) + 1, failures: [...failures] },
  ])
  return Object.fromEntries([...others, ...again])
}

/** Returns the files that needed a second try in RUNS_MAX runs in a row. */
export const overdue = (kept: Kept, needed: Files): string[] =>
  Object.keys(needed).filter((file) => (kept[file]?.runsInARow ?? 0) >= RUNS_MAX)

/** A missing or damaged file counts as empty. */
export async function readKept(file = KEPT): Promise<Kept> {
  try {
    return keptForm.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return {}
  }
}

export async function keep(kept: Kept, file = KEPT): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(kept, undefined, 1)}\n`)
  await rename(draft, file)
}
