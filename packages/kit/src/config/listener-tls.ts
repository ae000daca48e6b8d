// The TLS settings of a service's own port, and their rules. follow-tls.ts reads the files and follows their changes.

import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'

import type { z } from 'zod'

import { certificateFile, keyRule, milliseconds, privateKeyFile } from './config-fields.ts'

export const listenerTlsFields = {
  TLS_CERT_FILE: certificateFile()
    .optional()
    .describe('the certificate chain; with TLS_KEY_FILE the port uses TLS'),
  TLS_KEY_FILE: privateKeyFile().optional().describe("the certificate's private key"),
  TLS_RELOAD_MS: milliseconds({ min: 100, max: 3_600_000 })
    .default(10_000)
    .describe('how often the service checks for a new pair'),
}

export type ListenerTlsSettings = {
  TLS_CERT_FILE?: string | undefined
  TLS_KEY_FILE?: string | undefined
}

/** Refuses a certificate or a key alone, and a pair that doesn't match, because TLS could not be used. */
export function withListenerTlsRules<T extends z.ZodType<ListenerTlsSettings>>(schema: T): T {
  return schema
    .refine(
      ({ TLS_CERT_FILE, TLS_KEY_FILE }) =>
        (TLS_CERT_FILE === undefined) === (TLS_KEY_FILE === undefined),
      keyRule('TLS_KEY_FILE', 'it and TLS_CERT_FILE go together: set both or neither'),
    )
    .refine(
      ({ TLS_CERT_FILE, TLS_KEY_FILE }) => areAPair(TLS_CERT_FILE, TLS_KEY_FILE),
      keyRule('TLS_KEY_FILE', 'it is not the key of the first certificate in TLS_CERT_FILE'),
    )
}

/** Returns false only if certificate and key certainly don't match. Other problems are reported elsewhere. */
export function areAPair(certFile: string | undefined, keyFile: string | undefined): boolean {
  if (certFile === undefined || keyFile === undefined) return true
  try {
    return isKeyOf(readFileSync(certFile), readFileSync(keyFile))
  } catch {
    return true
  }
}

/** Throws if the certificate or the key can't be parsed. */
export function isKeyOf(certificate: Buffer, key: Buffer): boolean {
  return new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))
}
