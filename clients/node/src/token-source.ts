// Tokens for programs that pass them on, such as to `openTopic`.
import { credentialsRules } from './credentials.ts'
import type { CredentialsOptions } from './credentials.ts'
import { checkOptions } from './options.ts'
import { createTokens } from './tokens.ts'

/**
 * Returns a function whose promise is a token that is valid for at least another 5 s. It rejects with RejectedError if
 * auth refuses the credentials, and with another Error, which may have a `cause`, if auth is unreachable: call it again
 * later. @throws TypeError for invalid options
 */
export function createTokenSource(options: CredentialsOptions): () => Promise<string> {
  checkOptions('createTokenSource', options, credentialsRules)
  return createTokens(options).get
}
