// HTTP Basic (RFC 7617) with OAuth's encoding (RFC 6749 2.3.1): both parts are form-encoded before they are joined.
// Unencoded parts are accepted, because not every client encodes them.
import { refusal } from '../errors.ts'
import type { Secrets } from './authenticate.ts'

/** @throws Refusal `invalid_credentials` */
export function basicOf(authorization: string): Secrets {
  const encoded = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(authorization)?.[1]
  const pair = Buffer.from(encoded ?? '', 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  if (colon < 1) throw refusal('invalid_credentials', 'Send clientId:clientSecret as HTTP Basic')
  return {
    clientId: formDecoded(pair.slice(0, colon)),
    clientSecret: formDecoded(pair.slice(colon + 1)),
  }
}

function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll('&', '%26')}`).get('v') ?? text
}
