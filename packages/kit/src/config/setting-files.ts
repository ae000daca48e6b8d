// Checks and reads files that settings name. The error for an unreadable file names the setting to correct, and never
// shows the file's contents.

import { readFileSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'

import { AppError } from '../errors.ts'
import type { FileRule } from './field-notes.ts'

/** Throws AppError `kit.setting_file_unreadable`. */
export async function readSettingFile(setting: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw unreadable(setting, path, error)
  }
}

/** Like `readSettingFile`, but synchronous, for small files that are read at each use. */
export function readSettingFileNow(setting: string, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw unreadable(setting, path, error)
  }
}

/** Returns why a setting's file can't be used, or undefined. */
export function settingFileProblem(path: string, rule: FileRule): string | undefined {
  try {
    const contents = readFileSync(path)
    return rule.problemOf?.(contents)
  } catch (error) {
    const mayCome = rule.mayBeMissing === true && errorCodeOf(error) === 'ENOENT'
    if (mayCome) return isFolder(dirname(path)) ? undefined : 'the folder of the file is not there'
    return `the file can't be read${reasonOf(error)}`
  }
}

function unreadable(setting: string, path: string, cause: unknown) {
  const message = `${setting} names the file ${path}, which can't be read${reasonOf(cause)}`
  return new AppError('kit.setting_file_unreadable', message, { cause })
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function reasonOf(error: unknown): string {
  const code = errorCodeOf(error)
  return code === undefined ? '' : ` (${code})`
}

// Doesn't use `instanceof`, because under a test runner errors of Node's own modules have another Error class.
export function errorCodeOf(error: unknown): string | undefined {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error
  return hasCode ? String(error.code) : undefined
}
