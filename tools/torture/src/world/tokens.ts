// The tokens that producers use, and the tokens that must no longer work.
import { delay } from '@weir/kit'

import type { Account, Credentials } from '@weir/testkit'

export type StreamTokens = {
  put(stream: string, credentials: Credentials, token: string): void
  of(stream: string): { credentials: Credentials; token: string }
  /** Requests a new token, but at most once in RENEWED_WITHIN_MS. */
  renew(stream: string): Promise<void>
  /** Adds a token whose credentials are deleted. */
  bury(token: string): void
  buried(): readonly string[]
}

const RENEWED_WITHIN_MS = 2_000

export function createTokens(account: () => Account): StreamTokens {
  const byStream = new Map<string, { credentials: Credentials; token: string }>()
  const renewing = new Map<string, Promise<void>>()
  const buried: string[] = []

  const of = (stream: string) => {
    const known = byStream.get(stream)
    if (known === undefined) throw new TypeError(`no credentials of ${stream}`)
    return known
  }

  const askForOne = async (stream: string): Promise<void> => {
    const { credentials } = of(stream)
    const token = await account().token(credentials)
    if (of(stream).credentials === credentials) byStream.set(stream, { credentials, token })
  }

  return {
    of,
    put: (stream, credentials, token) => void byStream.set(stream, { credentials, token }),
    renew(stream) {
      const before = renewing.get(stream)
      if (before !== undefined) return before
      const renewed = askForOne(stream)
        .catch(() => undefined) // auth may be down; the next refusal requests a token again
        .then(() => delay(RENEWED_WITHIN_MS))
        .finally(() => renewing.delete(stream))
      renewing.set(stream, renewed)
      return renewed
    },
    bury: (token) => void buried.push(token),
    buried: () => buried,
  }
}
