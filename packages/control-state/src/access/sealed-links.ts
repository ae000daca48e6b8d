// A person's links, encrypted by auth for output. The key is the token with which the person's events can be
// downloaded.
import { openUnder, sealUnder } from './secret-ids.ts'

const linkBytes = 8

/** Encrypts a JSON object that contains, by the number of a term, base64 of its concatenated links. */
export function sealLinks(
  accessToken: string,
  links: ReadonlyMap<number, readonly Uint8Array[]>,
): string {
  const terms = [...links].map(([term, inTerm]) => [term, Buffer.concat(inTerm).toString('base64')])
  return sealUnder(accessToken, 'subject-access', JSON.stringify(Object.fromEntries(terms)))
}

/**
 * The links in hexadecimal, by term.
 * @throws Error if they were encrypted under another token
 */
export function openLinks(
  accessToken: string,
  sealedLinks: string,
): ReadonlyMap<number, ReadonlySet<string>> {
  const terms: unknown = JSON.parse(openUnder(accessToken, 'subject-access', sealedLinks))
  return new Map(
    Object.entries(terms ?? {}).map(([term, links]) => [Number(term), linksIn(String(links))]),
  )
}

function linksIn(base64: string): ReadonlySet<string> {
  const bytes = Buffer.from(base64, 'base64')
  const links = new Set<string>()
  for (let at = 0; at < bytes.length; at += linkBytes)
    links.add(bytes.toString('hex', at, at + linkBytes))
  return links
}
