// Stores how many seconds each test file took in its last run. jest's sequencer orders the next run by these numbers.
// They are not committed. For a new clone, slowest.json lists the slowest files.

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { z } from 'zod'

import { REPOSITORY } from '@weir/devstack'

/** The seconds by the file's path within the repository. */
export type Seconds = Readonly<Record<string, number>>

const KEPT = join(REPOSITORY, '.weir', 'test-seconds.json')

const secondsForm = z.record(z.string(), z.number())

/** A missing or damaged file counts as empty. */
export async function readSeconds(file = KEPT): Promise<Seconds> {
  try {
    return secondsForm.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return {}
  }
}

/** Adds the seconds to those of earlier runs. */
export async function keepSeconds(seen: Seconds, file = KEPT): Promise<void> {
  const kept = { ...(await readSeconds(file)), ...seen }
  await mkdir(dirname(file), { recursive: true })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(kept, undefined, 1)}\n`)
  await rename(draft, file)
}
