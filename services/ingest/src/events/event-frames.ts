// Splits a body of length-prefixed Avro into events, chunk by chunk. Events are not decoded here. Memory is bounded by
// the maximum size of an event. Longer events are skipped.
//
//   body   = *frame
//   frame  = length datum
//   length = 4OCTET                      ; of the datum; unsigned, big-endian
import type { FramedEvent, Framing } from './framing.ts'
import { createGathering } from './gathering.ts'

const lengthBytes = 4

export function createEventFrames(eventBytesMax: number): Framing {
  const begun = createGathering()
  /** The remaining bytes of the datum; undefined while its length is incomplete. */
  let bytesLeft: number | undefined
  let isSkipping = false

  const begin = (length: number): FramedEvent | undefined => {
    if (length === 0) return begun.take()
    bytesLeft = length
    isSkipping = length > eventBytesMax
    return isSkipping ? 'too_large' : undefined
  }

  const readLength = (part: Buffer): FramedEvent | undefined => {
    if (begun.length === 0 && part.length === lengthBytes) return begin(part.readUInt32BE(0))
    begun.add(part)
    return begun.length < lengthBytes ? undefined : begin(begun.take().readUInt32BE(0))
  }

  const readDatum = (part: Buffer, left: number): FramedEvent | undefined => {
    const isWhole = part.length === left
    bytesLeft = isWhole ? undefined : left - part.length
    if (isSkipping) return undefined
    if (isWhole && begun.length === 0) return part
    begun.add(part)
    return isWhole ? begun.take() : undefined
  }

  return {
    *push(chunk) {
      for (let at = 0; at < chunk.length;) {
        const wanted = bytesLeft ?? lengthBytes - begun.length
        const part = chunk.subarray(at, at + wanted)
        const found = bytesLeft === undefined ? readLength(part) : readDatum(part, bytesLeft)
        if (found !== undefined) yield found
        at += part.length
      }
    },
    end() {
      if (bytesLeft === undefined) return begun.length === 0 ? [] : ['cut_off']
      return isSkipping ? [] : ['cut_off']
    },
  }
}
