// Gets tokens that a program passes on, such as to `openTopic`.
import { credentialsRules } from './credentials.ts'
import type { CredentialsOptions } from './credentials.ts'
import { ReadError, RejectedError } from './errors.ts'
import { checkOptions } from './options.ts'
import { createTokens, NoToken } from './tokens.ts'

/**
 * Returns a function that gets an id token, valid for at least another 5 s. The function rejects with ReadError:
 * `refused` by auth, or `unreachable`. In the second case, call it again later. The `cause` is the RejectedError, or
 * Node's error.
 * @throws TypeError for invalid options
 */
export function createTokenSource(options: CredentialsOptions): () => Promise<string> {
  checkOptions('createTokenSource', options, credentialsRules)
  const tokens = createTokens(options)
  return () =>
    tokens.get().catch((error: unknown) => {
      if (error instanceof RejectedError) throw new ReadError('refused', error.message, error)
      if (error instanceof NoToken) throw new ReadError('unreachable', error.message, error.cause)
      throw error
    })
}
