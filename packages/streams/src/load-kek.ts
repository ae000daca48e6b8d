// The keys that wrap the rings, from the file that KEK_FILE names. What is wrong with it is said by that
// name, and never shows a key.
import { parseKekFile } from '@weir/fieldcrypt'
import type { KekProvider } from '@weir/fieldcrypt'
import { AppError, hasCode, readSettingFile } from '@weir/kit'

/** @throws AppError `setting_file_unreadable`, `kek_file_invalid` */
export async function loadKek(file: string): Promise<KekProvider> {
  const text = await readSettingFile('KEK_FILE', file)
  try {
    return parseKekFile(text.toString('utf8'))
  } catch (error) {
    if (!hasCode(error, 'kek_file_invalid')) throw error
    const message = `KEK_FILE names the file ${file}, which can't be used: ${error.message}`
    throw new AppError(error.code, message)
  }
}
