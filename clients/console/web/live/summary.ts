// A line that distinguishes an event from others: its first unencrypted texts, shortened.
import { isObject } from '../api/json.ts'
import type { Json } from '../api/json.ts'
import type { LiveEvent } from './live-store.ts'

/** The form of encrypted text, which means nothing to people. */
const sealedText = /^A[Q-Za-f][A-Za-z0-9+/]{26,}={0,2}$/
const lengthMax = 60

export function summaryOf({ sealed }: LiveEvent): string {
  const { svcMeta: _, ...own } = sealed
  const shown: string[] = []
  for (const text of textsOf(own)) {
    if (text === '' || sealedText.test(text)) continue
    shown.push(text.length > lengthMax ? `${text.slice(0, lengthMax)}…` : text)
    if (shown.length === 2) break
  }
  return shown.join(' · ')
}

function* textsOf(object: Json): Generator<string> {
  for (const value of Object.values(object)) {
    if (typeof value === 'string') yield value
    else if (isObject(value)) yield* textsOf(value)
  }
}
