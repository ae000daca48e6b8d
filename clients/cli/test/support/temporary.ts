// Temporary folders for tests, removed at the end of the test file.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll } from '@jest/globals'

const folders: string[] = []

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'weir-cli-'))
  folders.push(folder)
  return folder
}

export function writeJson(path: string, json: unknown): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(json))
}
