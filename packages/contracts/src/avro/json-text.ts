// The bytes of a JSON body -> what JSON.parse makes of them, and how many members its objects were written
// with. JSON.parse keeps the last of two members of one name and says nothing: whoever reads the result
// holds the members it saw against this number, so that no second consentLevels slips in.
import { isUtf8 } from 'node:buffer'
import { countJsonMembers, jsonDepthMax } from '@weir/kit'
import { Unreadable } from '../unreadable.ts'

export function parseJson(body: Buffer): { readonly json: unknown; readonly members: number } {
  if (!isUtf8(body)) throw new Unreadable('is not valid UTF-8')
  const members = countJsonMembers(body)
  if (members === undefined) throw new Unreadable(`is nested deeper than ${jsonDepthMax} levels`)
  try {
    return { json: JSON.parse(body.toString('utf8')), members }
  } catch {
    // the parser's own message quotes the body
    throw new Unreadable('is not JSON')
  }
}
