// Converts CA certificates for Node's TLS, which accepts any Uint8Array but declares only Buffer.
import type { CredentialsOptions } from './credentials.ts'

export const trust = (ca: CredentialsOptions['ca']): { ca?: string | Buffer } =>
  ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : Buffer.from(ca) }
