// The authorities to trust, as a type that Node's TLS declares: it also accepts other Uint8Arrays than Buffers.
import type { CredentialsOptions } from './credentials.ts'

export const trust = (ca: CredentialsOptions['ca']): { ca?: string | Buffer } =>
  ca === undefined ? {} : { ca: typeof ca === 'string' ? ca : Buffer.from(ca) }
