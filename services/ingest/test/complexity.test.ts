// The cost of splitting a body into events is at most proportional to its length, for any content and any chunks.
// tools/testkit/test/complexity/ covers the cost of the events.
import { expect, test } from '@jest/globals'
import { parserGrowth } from '@weir/testkit'
import type { ParserCase } from '@weir/testkit'
import { createEventFrames } from '../src/events/event-frames.ts'
import { createEventLines } from '../src/events/event-lines.ts'
import type { Framing } from '../src/events/framing.ts'

const eventBytesMax = 1_048_576

/** Returns a function that pushes the body in chunks of `pieceBytes` octets. */
const cutting =
  (createFraming: (bytesMax: number) => Framing, pieceBytes: number, body: Buffer) => () => {
    const framing = createFraming(eventBytesMax)
    let events = 0
    for (let at = 0; at < body.length; at += pieceBytes)
      events += [...framing.push(body.subarray(at, at + pieceBytes))].length
    return events + [...framing.end()].length
  }

const frame = (bytes: number): Buffer => {
  const made = Buffer.alloc(4 + bytes)
  made.writeUInt32BE(bytes)
  return made
}

const cases: readonly ParserCase[] = [
  {
    name: 'many short lines',
    size: 10_000,
    at: (n) => cutting(createEventLines, 16_384, Buffer.from('{}\r\n'.repeat(n))),
    ends: 'taken',
  },
  {
    name: 'lines of blanks',
    size: 500,
    at: (n) => cutting(createEventLines, 16_384, Buffer.from(`${' \t'.repeat(50)}\n`.repeat(n))),
    ends: 'taken',
  },
  {
    name: 'one line, octet by octet',
    size: 20_000,
    at: (n) => cutting(createEventLines, 1, Buffer.alloc(n, 'x')),
    ends: 'taken',
  },
  {
    name: 'lines that are too long',
    size: 1,
    at: (n) =>
      cutting(
        createEventLines,
        16_384,
        Buffer.concat(Array(n).fill(Buffer.alloc(eventBytesMax + 2, 'x'))),
      ),
    ends: 'taken',
  },
  {
    name: 'events of nothing',
    size: 10_000,
    at: (n) => cutting(createEventFrames, 16_384, Buffer.alloc(4 * n)),
    ends: 'taken',
  },
  {
    name: 'one event, octet by octet',
    size: 20_000,
    at: (n) => cutting(createEventFrames, 1, frame(n)),
    ends: 'taken',
  },
  {
    name: 'an event that is longer than may be, octet by octet',
    size: 20_000,
    at: (n) =>
      cutting(createEventFrames, 1, Buffer.concat([Buffer.alloc(4, 0xff), Buffer.alloc(n)])),
    ends: 'taken',
  },
]

test.each(cases)('the time to cut a body grows no faster than $name', async (parserCase) => {
  expect(await parserGrowth(parserCase)).toBe('linear')
})
