// Secrets for a development machine, made here and never shipped: a key that wraps Weir's keys, and the
// platform key that makes accounts.

import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { hasErrno } from './errno.ts'

/** A KEK file with one key. False when there was one, which is left alone: it opens what it has wrapped. */
export function makeKekFile(path: string): Promise<boolean> {
  return createPrivate(path, `weir 1 ${randomBytes(32).toString('hex')}\n`)
}

export function makePlatformKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Writes a file that only its owner reads, as a whole or not at all, its folder too. False when there was one already. */
export async function createPrivate(path: string, content: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`
  await mkdir(dirname(path), { recursive: true })
  await writeFile(draft, content, { mode: 0o600 })
  try {
    await link(draft, path)
    return true
  } catch (error) {
    if (hasErrno(error, 'EEXIST')) return false
    throw error
  } finally {
    await rm(draft)
  }
}
