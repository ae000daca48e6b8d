// What a text looks like that may be the wrong kind of secret. It verifies nothing: only a message depends on it.
import { isObject, memberOf, tryParseJson } from './json.ts'

const kinds: ReadonlyMap<unknown, string> = new Map([
  ['weir', 'an id token'],
  ['weir-refresh', 'a refresh token'],
])

/** Undefined for what may be the secret of credentials, which has no dot and fewer characters than an API key. */
export function looksLike(text: unknown): string | undefined {
  if (typeof text !== 'string') return undefined
  if (/^weir_[\w-]{43}/.test(text)) return 'an API key'
  const claims = claimsIn(text)
  return claims && (kinds.get(memberOf(claims, 'aud')) ?? 'a JWT')
}

/** The claims of a JWT, decoded, not verified. */
export function claimsIn(token: string | undefined): object | undefined {
  const [, payload] = /^eyJ[\w-]*\.([\w-]+)\.[\w-]+$/.exec(token ?? '') ?? []
  if (payload === undefined) return undefined
  const claims = tryParseJson(Buffer.from(payload, 'base64url').toString())
  return isObject(claims) ? claims : {}
}
