// Ingest's fuzz target: splitting bodies of many events must not depend on the chunks in which they arrive.
import { deepStrictEqual } from 'node:assert'
import type { FuzzTarget } from '@weir/testkit'
import { createEventFrames } from '../src/events/event-frames.ts'
import { createEventLines } from '../src/events/event-lines.ts'
import type { Framing } from '../src/events/framing.ts'

const eventBytesMax = 64

function cut(framing: Framing, body: Buffer, pieceOctets: number): string[] {
  const events: string[] = []
  const take = (framed: ReturnType<Framing['end']>): void => {
    for (const one of framed) events.push(typeof one === 'string' ? one : one.toString('hex'))
  }
  for (let at = 0; at < body.length; at += pieceOctets)
    take(framing.push(body.subarray(at, at + pieceOctets)))
  take(framing.end())
  return events
}

const cutting = (create: (bytesMax: number) => Framing) => (octets: Buffer) => {
  const whole = cut(create(eventBytesMax), octets, octets.length || 1)
  for (const pieceOctets of [1, 7])
    deepStrictEqual(cut(create(eventBytesMax), octets, pieceOctets), whole)
}

export const fuzzTargets: readonly FuzzTarget[] = [
  { name: 'event-lines', words: ['\n', '\r\n', '{}', ' \t'], run: cutting(createEventLines) },
  {
    name: 'event-frames',
    words: ['\x00\x00\x00\x00', '\x00\x00\x00\x02', '\x00\x00\x00\x40', '\xff\xff\xff\xff'],
    run: cutting(createEventFrames),
  },
]
