// Reads files of settings at each use, because they may be replaced: passwords, tokens, certificates. If a file can't
// be read, its last content is used.
import { readSettingFileNow } from './setting-files.ts'

/** Throws AppError `kit.setting_file_unreadable`. */
export const optionalFile = (key: string, path: string | undefined): Buffer | undefined =>
  path === undefined ? undefined : readSettingFileNow(key, path)

/** Throws AppError `kit.setting_file_unreadable` if the first read fails. */
export function fileReader(key: string, path: string | undefined): () => Buffer | undefined {
  let known = optionalFile(key, path)
  return () => {
    try {
      known = optionalFile(key, path)
    } catch {
      // The file is being replaced, or is missing. The next login shows which.
    }
    return known
  }
}

/** Returns a function that reads the file's text, trimmed. */
export function secretReader(key: string, path: string | undefined): () => string {
  const read = fileReader(key, path)
  return () => (read() ?? '').toString('utf8').trim()
}
