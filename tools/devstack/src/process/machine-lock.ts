// Serialises programs that load the whole machine: tests, soak, attacks, bench, torture. Running together, they would
// slow each other down and fail.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'

import { delay, hasCode } from '@weir/kit'

import { REPOSITORY } from '../repository.ts'
import { lockFolder } from './folder-lock.ts'

/** Set for child processes of the lock's holder, which must not wait for the lock. */
const HELD = 'WEIR_MACHINE_HELD'

export type MachineLockOptions = {
  folder?: string
  /** Called once for each holder that this process waits for. */
  say?: (line: string) => void
  signal?: AbortSignal
}

/** Resolves once no other process has the lock. Every kind of end of this process releases it. */
export async function holdMachine(what: string, options: MachineLockOptions = {}): Promise<void> {
  const { folder = join(tmpdir(), `weir-machine-${userInfo().uid}`), say = console.log } = options
  if (process.env[HELD] === folder) return
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const who = join(folder, 'who')
  for (let told = ''; ;) {
    if (take(folder)) break
    const holder = textOf(who)
    if (holder !== told) say(`Waiting for ${holder} to end …`)
    told = holder
    await delay(500, options.signal)
  }
  writeFileSync(who, `${what} in ${REPOSITORY} (process ${process.pid})`)
  process.env[HELD] = folder
}

function take(folder: string): boolean {
  try {
    process.once('exit', lockFolder(folder).release)
    return true
  } catch (error) {
    if (hasCode(error, 'already_running')) return false
    throw error
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return 'another run'
  }
}
