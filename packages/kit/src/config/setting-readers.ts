// Files of settings that are read whenever they are needed, because they are replaced now and then: passwords,
// tokens, certificates. While one can't be read, what it held last is good.
import { readSettingFileNow } from './setting-files.ts'

/** Throws AppError `kit.setting_file_unreadable`. */
export const optionalFile = (key: string, path: string | undefined): Buffer | undefined =>
  path === undefined ? undefined : readSettingFileNow(key, path)

/** Throws AppError `kit.setting_file_unreadable` when it can't be read even once. */
export function fileReader(key: string, path: string | undefined): () => Buffer | undefined {
  let known = optionalFile(key, path)
  return () => {
    try {
      known = optionalFile(key, path)
    } catch {
      // It is just being replaced, or gone for good: then the next login will show.
    }
    return known
  }
}

/** Its text, without the blanks and line ends around. */
export function secretReader(key: string, path: string | undefined): () => string {
  const read = fileReader(key, path)
  return () => (read() ?? '').toString('utf8').trim()
}
