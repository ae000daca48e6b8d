// Encrypts, in auth, the person whose events may be downloaded, and decrypts the person in output. The token for the
// download is the key.
import { createHash } from 'node:crypto'
import { openUnder, sealUnder } from './secret-ids.ts'

const linkBytes = 8

/** What output needs to know about the person. Output itself can't compute links from values. */
export type AccessPerson = {
  /** The links in hexadecimal, by term. */
  readonly links: ReadonlyMap<number, ReadonlySet<string>>
  /** Whether this value is one of those that the token is for. */
  readonly isNamed: (value: string) => boolean
}

/** Encrypts JSON with the concatenated links of each term, and the SHA-256 of each value, all in base64. */
export function sealPerson(
  accessToken: string,
  {
    links,
    values,
  }: {
    readonly links: ReadonlyMap<number, readonly Uint8Array[]>
    readonly values: readonly string[]
  },
): string {
  const terms = [...links].map(([term, inTerm]) => [term, Buffer.concat(inTerm).toString('base64')])
  const person = { links: Object.fromEntries(terms), values: values.map(hashOf) }
  return sealUnder(accessToken, 'subject-access', JSON.stringify(person))
}

/** @throws Error if it was encrypted under another token */
export function openPerson(accessToken: string, sealedPerson: string): AccessPerson {
  const { links, values }: { links: Record<string, string>; values: string[] } = JSON.parse(
    openUnder(accessToken, 'subject-access', sealedPerson),
  )
  const hashes = new Set(values)
  return {
    links: new Map(Object.entries(links).map(([term, of]) => [Number(term), linksIn(of)])),
    isNamed: (value) => hashes.has(hashOf(value)),
  }
}

const hashOf = (value: string): string => createHash('sha256').update(value).digest('base64')

function linksIn(base64: string): ReadonlySet<string> {
  const bytes = Buffer.from(base64, 'base64')
  const links = new Set<string>()
  for (let at = 0; at < bytes.length; at += linkBytes)
    links.add(bytes.toString('hex', at, at + linkBytes))
  return links
}
