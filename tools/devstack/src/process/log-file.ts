// Log files of child processes. An error shows their last lines.

import { closeSync, mkdirSync, openSync, readFileSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const BYTES_MAX = 10_000_000

/** Creates the folder, and moves a large old file away. */
export function prepareLogFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > BYTES_MAX) {
    renameSync(path, `${path}.old`)
  }
}

/** Opens the file for appending, while `use` starts a process that inherits it. */
export async function withLogFile<T>(path: string, use: (fd: number) => Promise<T>): Promise<T> {
  prepareLogFile(path)
  const fd = openSync(path, 'a')
  try {
    return await use(fd)
  } finally {
    closeSync(fd)
  }
}

export function lastLines(path: string, count = 15): string {
  try {
    return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n')
  } catch {
    return ''
  }
}
