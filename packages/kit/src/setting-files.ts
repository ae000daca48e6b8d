// Files that settings name: read once at the start. When one can't be read the error names the setting, for
// that is what has to be put right; it never shows what is in the file.

import { readFile } from 'node:fs/promises'

import { keyRule } from './config-fields.ts'
import { AppError } from './errors.ts'

/** Throws AppError `setting_file_unreadable`. */
export async function readSettingFile(setting: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    throw new AppError(
      'setting_file_unreadable',
      `${setting} names the file ${path}, which can't be read${reasonOf(error)}`,
      { cause: error },
    )
  }
}

// Not by `instanceof`: under a test runner, errors of Node's own modules are of another Error.
function reasonOf(error: unknown): string {
  const hasCode = typeof error === 'object' && error !== null && 'code' in error
  return hasCode ? ` (${String(error.code)})` : ''
}

type TlsSettings = { TLS_CERT_FILE?: string | undefined; TLS_KEY_FILE?: string | undefined }

/** For `refine`: one of the two alone would mean no TLS where TLS was meant. */
export const tlsRule = [
  ({ TLS_CERT_FILE, TLS_KEY_FILE }: TlsSettings): boolean =>
    (TLS_CERT_FILE === undefined) === (TLS_KEY_FILE === undefined),
  keyRule('TLS_KEY_FILE', 'it and TLS_CERT_FILE go together: set both or neither'),
] as const

/** What a listener takes beside its port; nothing without a certificate. */
export async function readTls({
  TLS_CERT_FILE: certFile,
  TLS_KEY_FILE: keyFile,
}: TlsSettings): Promise<{ tls?: { cert: Buffer; key: Buffer } }> {
  if (certFile === undefined || keyFile === undefined) return {}
  const cert = await readSettingFile('TLS_CERT_FILE', certFile)
  return { tls: { cert, key: await readSettingFile('TLS_KEY_FILE', keyFile) } }
}
