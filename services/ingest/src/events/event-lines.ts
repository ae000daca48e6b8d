// Splits an NDJSON body into events, chunk by chunk: one event per line. Events are not decoded here. Memory is bounded
// by the maximum size of an event.
//
//   body  = *(line LF) [line]
//   line  = *octet [CR]                  ; a blank line, of only spaces, tabs and CRs, is no event
import type { FramedEvent, Framing } from './framing.ts'
import { createGathering } from './gathering.ts'

const lineFeed = 0x0a
const carriageReturn = 0x0d
const space = 0x20
const tab = 0x09

export function createEventLines(eventBytesMax: number): Framing {
  const begun = createGathering()
  let isSkipping = false

  /** Keeps an incomplete line. The line may be one octet longer than an event, because its last octet may be a CR. */
  const keep = (part: Buffer): 'too_large' | undefined => {
    if (isSkipping) return undefined
    if (begun.length + part.length <= eventBytesMax + 1) {
      if (part.length > 0) begun.add(part)
      return undefined
    }
    isSkipping = true
    begun.forget()
    return 'too_large'
  }

  const finish = (part: Buffer): FramedEvent | undefined => {
    if (begun.length === 0 && !isSkipping) return eventIn(part, eventBytesMax)
    const tooLarge = keep(part)
    if (!isSkipping) return eventIn(begun.take(), eventBytesMax)
    isSkipping = false
    return tooLarge
  }

  return {
    *push(chunk) {
      let at = 0
      for (;;) {
        if (begun.length === 0 && !isSkipping) at = afterBlankLines(chunk, at, eventBytesMax)
        const end = chunk.indexOf(lineFeed, at)
        const isWhole = end >= 0
        const part = chunk.subarray(at, isWhole ? end : undefined)
        const found = isWhole ? finish(part) : keep(part)
        if (found !== undefined) yield found
        if (!isWhole) return
        at = end + 1
      }
    },
    end() {
      const last = isSkipping ? undefined : eventIn(begun.take(), eventBytesMax)
      return last === undefined ? [] : [last]
    },
  }
}

function eventIn(line: Buffer, eventBytesMax: number): FramedEvent | undefined {
  const event = line.at(-1) === carriageReturn ? line.subarray(0, -1) : line
  if (event.length > eventBytesMax) return 'too_large'
  return isBlank(event) ? undefined : event
}

const isWhitespace = (octet: number | undefined): boolean =>
  octet === space || octet === tab || octet === carriageReturn

function isBlank(event: Buffer): boolean {
  for (const octet of event) if (!isWhitespace(octet)) return false
  return true
}

/**
 * Skips blank lines. A compressed body of a few kilobytes may contain millions of blank lines. Skipping them here costs
 * 1 ns per octet, and splitting them into lines would cost 100 ns per octet.
 */
function afterBlankLines(chunk: Buffer, from: number, lineBytesMax: number): number {
  let line = from
  for (let at = from; at < chunk.length && at - line <= lineBytesMax; at += 1) {
    if (chunk[at] === lineFeed) line = at + 1
    else if (!isWhitespace(chunk[at])) break
  }
  return line
}
