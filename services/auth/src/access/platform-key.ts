// The platform key, which may create accounts. It is a setting, or in a file that auth creates if it is missing.
import { randomBytes, randomUUID } from 'node:crypto'
import { access, link, readFile, unlink, writeFile } from 'node:fs/promises'
import type { Log } from '@weir/kit'
import type { Config } from '../config.ts'
import { platformKeyCharsMin, platformKeyRule } from './platform-key-rule.ts'

export async function loadPlatformKey(
  { PLATFORM_KEY: given, PLATFORM_KEY_FILE: file }: Config,
  log: Log,
): Promise<string> {
  const key = given ?? (await fromFile(file, log))
  if (key.length < platformKeyCharsMin)
    throw new Error(`the platform key in ${file} can be guessed: ${platformKeyRule}`)
  return key
}

async function fromFile(file: string | undefined, log: Log): Promise<string> {
  if (file === undefined) return ''
  if (!(await isThere(file)) && (await makeFile(file)))
    log.info({ file }, 'a platform key was created')
  return (await readFile(file, 'utf8')).trim()
}

/**
 * Creates the file. Returns false if it exists. The complete file appears in one step, so two replicas that start at
 * the same time read the same key.
 */
async function makeFile(file: string): Promise<boolean> {
  const draft = `${file}.${randomUUID()}`
  const key = `weir_platform_${randomBytes(32).toString('base64url')}`
  await writeFile(draft, `${key}\n`, { flag: 'wx', mode: 0o600 })
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    await unlink(draft)
  }
}

/** Checked first, because the folder of an existing file need not be writable. */
const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )
