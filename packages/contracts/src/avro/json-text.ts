// Parses a JSON body, and counts the members in its text. Of two members with the same name, JSON.parse silently keeps
// the last. Readers compare the count with the members that they read, and so detect, for example, a second
// consentLevels.
import { isUtf8 } from 'node:buffer'
import { countJsonMembers, jsonDepthMax } from '@weir/kit'
import { Unreadable } from '../unreadable.ts'

export function parseJsonText(body: Buffer): { readonly json: unknown; readonly members: number } {
  if (!isUtf8(body)) throw new Unreadable('is not valid UTF-8')
  const members = countJsonMembers(body)
  if (members === undefined) throw new Unreadable(`is nested deeper than ${jsonDepthMax} levels`)
  try {
    return { json: JSON.parse(body.toString('utf8')), members }
  } catch (error) {
    // does not show the message of JSON.parse, which quotes the body
    const hasMore = String(error).startsWith(
      'SyntaxError: Unexpected non-whitespace character after JSON',
    )
    throw new Unreadable(hasMore ? 'has more after its first JSON value' : 'is not JSON')
  }
}
