// Gets tokens that a program passes on, such as to `openTopic`.
import { credentialsRules } from './credentials.ts'
import type { CredentialsOptions } from './credentials.ts'
import { checkOptions } from './options.ts'
import { createTokens } from './tokens.ts'

/**
 * Returns a function that gets an id token, valid for at least another 5 s. The function rejects with RejectedError if
 * auth refuses the credentials, and with another Error if auth is unreachable. In the second case, call it again later.
 * @throws TypeError for invalid options
 */
export function createTokenSource(options: CredentialsOptions): () => Promise<string> {
  checkOptions('createTokenSource', options, credentialsRules)
  return createTokens(options).get
}
