// The bytes of a JSON body -> what JSON.parse makes of them, and how many members its objects were written
// with. JSON.parse keeps the last of two members of one name and says nothing: whoever reads the result
// holds the members it saw against this number, so that no second consentLevels slips in.
import { isUtf8 } from 'node:buffer'

import { Unreadable } from '../unreadable.ts'

export function parseJson(body: Buffer): unknown {
  if (!isUtf8(body)) throw new Unreadable('is not valid UTF-8')
  try {
    const json: unknown = JSON.parse(body.toString('utf8'))
    return json
  } catch {
    // the parser's own message quotes the body
    throw new Unreadable('is not JSON')
  }
}

const quote = 0x22
const colon = 0x3a
const backslash = 0x5c

/** Colons outside of strings, in text that is known to be JSON. */
export function countMembers(body: Buffer): number {
  const { length } = body
  let members = 0
  for (let at = 0; at < length; at += 1) {
    const byte = body[at]
    if (byte === colon) members += 1
    if (byte !== quote) continue
    for (at += 1; at < length && body[at] !== quote; at += 1) {
      if (body[at] === backslash) at += 1
    }
  }
  return members
}
