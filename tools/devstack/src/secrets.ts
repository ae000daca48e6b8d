// Secrets for a development machine, created here and never shipped: a file for each service with only the KEKs that it
// needs (docs/keys.md), and the platform key, which creates accounts.

import { randomBytes, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { hasErrno } from './errno.ts'
import type { ServiceName } from './services.ts'

const KEKS = ['sign', 'link', 'open', 'levels']

/** Only auth signs. Output doesn't need `link`, because it never maps a person to a keyLink. */
const KEKS_OF: Readonly<Record<ServiceName, readonly string[]>> = {
  auth: KEKS,
  ingest: ['link', 'open', 'levels'],
  output: ['open', 'levels'],
}

export const kekFilesIn = (folder: string): Readonly<Record<ServiceName, string>> => ({
  auth: join(folder, 'kek-auth'),
  ingest: join(folder, 'kek-ingest'),
  output: join(folder, 'kek-output'),
})

/**
 * Creates auth's file with four KEKs, and the files of ingest and output with some of them. Returns false if auth's
 * file exists. The file is then kept, because its KEKs are in use.
 */
export async function makeKekFiles(folder: string): Promise<boolean> {
  const files = kekFilesIn(folder)
  const lines = KEKS.map((kek) => `${kek} 1 ${randomBytes(32).toString('hex')}\n`)
  const made = await createPrivate(files.auth, lines.join(''))
  const all = (await readFile(files.auth, 'utf8')).split('\n')
  for (const name of ['ingest', 'output'] as const) {
    const own = all.filter((line) => KEKS_OF[name].includes(line.trim().split(/\s+/)[0] ?? ''))
    await createPrivate(files[name], `${own.join('\n')}\n`)
  }
  return made
}

/** Returns each service's secret settings, for `startEverything`. */
export function secretsIn(folder: string, platformKey: string) {
  const { auth, ingest, output } = kekFilesIn(folder)
  return {
    auth: { KEK_FILE: auth, PLATFORM_KEY: platformKey },
    ingest: { KEK_FILE: ingest },
    output: { KEK_FILE: output },
  }
}

export function makePlatformKey(): string {
  return randomBytes(32).toString('base64url')
}

/** Creates or restricts a folder so that only its owner may enter. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 })
  await chmod(path, 0o700)
}

/** Atomically writes a file that only its owner can read, and creates its folder. Returns false if the file exists. */
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
