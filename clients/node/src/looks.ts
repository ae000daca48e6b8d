// Recognises API keys and tokens that users give in the wrong place, to explain the mistake. Verifies no signature.
import { isObject, memberOf, tryParseJson } from './json.ts'

const kinds: ReadonlyMap<unknown, string> = new Map([
  ['weir', 'an id token'],
  ['weir-refresh', 'a refresh token'],
])

/** Returns undefined if the text may be a client secret, which has no dot and fewer characters than an API key. */
export function looksLike(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  if (/^weir_[\w-]{43}/.test(text)) return 'an API key'
  const claims = claimsIn(text)
  return claims && (kinds.get(memberOf(claims, 'aud')) ?? 'a JWT')
}

/** Decodes the claims of a JWT, without verification. Returns undefined for other texts. */
export function claimsIn(token: string | undefined): object | undefined {
  const [, payload] = /^eyJ[\w-]*\.([\w-]+)\.[\w-]+$/.exec(token ?? '') ?? []
  if (payload === undefined) return undefined
  const claims = tryParseJson(Buffer.from(payload, 'base64url').toString())
  return isObject(claims) ? claims : {}
}
