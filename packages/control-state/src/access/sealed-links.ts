// A person's links, encrypted by auth for output. The key is the token with which the person's events can be
// downloaded.
import { openUnder, sealUnder } from './secret-ids.ts'

const linkBytes = 8

/** Encrypts a JSON object that contains, by the number of an era, base64 of its concatenated links. */
export function sealLinks(
  accessToken: string,
  links: ReadonlyMap<number, readonly Uint8Array[]>,
): string {
  const eras = [...links].map(([era, ofEra]) => [era, Buffer.concat(ofEra).toString('base64')])
  return sealUnder(accessToken, 'subject-access', JSON.stringify(Object.fromEntries(eras)))
}

/**
 * The links in hexadecimal, by era.
 * @throws Error if they were encrypted under another token
 */
export function openLinks(
  accessToken: string,
  sealedLinks: string,
): ReadonlyMap<number, ReadonlySet<string>> {
  const eras: unknown = JSON.parse(openUnder(accessToken, 'subject-access', sealedLinks))
  return new Map(
    Object.entries(eras ?? {}).map(([era, links]) => [Number(era), linksIn(String(links))]),
  )
}

function linksIn(base64: string): ReadonlySet<string> {
  const bytes = Buffer.from(base64, 'base64')
  const links = new Set<string>()
  for (let at = 0; at < bytes.length; at += linkBytes)
    links.add(bytes.toString('hex', at, at + linkBytes))
  return links
}
