// The options of all functions that need a token: the addresses of the services, and the credentials of a stream.
import { looksLike } from './looks.ts'
import { address, certificates, required, text } from './options.ts'
import type { Rules } from './options.ts'

export type CredentialsOptions = {
  /** The address of auth. */
  readonly authUrl: string
  /** The address of ingest, which only producers need. */
  readonly ingestUrl?: string | undefined
  /** The address of output, which only listeners and decrypters need. */
  readonly outputUrl?: string | undefined
  readonly billingId: string
  readonly clientId: string
  readonly clientSecret: string
  /** CA certificates to trust (PEM). */
  readonly ca?: string | Uint8Array | undefined
}

export const credentialsRules: Rules<CredentialsOptions> = {
  authUrl: required(address('auth', 8081)),
  ingestUrl: address('ingest', 8082),
  outputUrl: address('output', 8083),
  billingId: required(text("the account's id")),
  clientId: required(text("the clientId of the stream's credentials")),
  clientSecret: required({ ...text("the secret of the stream's credentials"), looksLike }),
  ca: certificates,
}
