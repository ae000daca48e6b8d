// How bodies of POST /events are split into events: independent of the chunks in which they arrive, and in bounded
// memory.
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { batchFormOf } from '../../src/events/batch-form.ts'
import { createEventFrames } from '../../src/events/event-frames.ts'
import { createEventLines } from '../../src/events/event-lines.ts'
import type { FramedEvent, Framing } from '../../src/events/framing.ts'

const bytesMax = 8

/** Returns events as hex, so that they can't equal a refusal. */
const found = (framed: FramedEvent): string =>
  typeof framed === 'string' ? framed : framed.toString('hex')
const hex = (text: string): string => Buffer.from(text).toString('hex')

function cut(framing: Framing, chunks: readonly Buffer[]): string[] {
  const all = chunks.flatMap((chunk) => [...framing.push(chunk)].map(found))
  return [...all, ...[...framing.end()].map(found)]
}

function split(bytes: Buffer, places: readonly number[]): Buffer[] {
  const ends = [...places.map((place) => place % (bytes.length + 1)), bytes.length]
  let from = 0
  return ends
    .toSorted((a, b) => a - b)
    .map((end) => {
      const piece = Buffer.from(bytes.subarray(from, end))
      from = end
      return piece
    })
}

const places = fc.array(fc.nat(), { maxLength: 20 })
const octets = (maxLength: number) =>
  fc.uint8Array({ maxLength }).map((array) => Buffer.from(array))

describe('lines', () => {
  const linesOf = (text: string): string[] => cut(createEventLines(bytesMax), [Buffer.from(text)])

  test('end with LF or CRLF, the last one with the body too', () => {
    expect(linesOf('{}\n[]\r\n1')).toEqual(['{}', '[]', '1'].map(hex))
    expect(linesOf('{}\n')).toEqual([hex('{}')])
    expect(linesOf('1\r')).toEqual([hex('1')])
  })

  test('that are blank are no events', () => {
    expect(linesOf('\n\r\n \t\r\n1\n\n')).toEqual([hex('1')])
    expect(linesOf('')).toEqual([])
  })

  test('may have as many octets as an event, and one more is too many', () => {
    expect(linesOf('12345678\n12345678\r\n12345678')).toEqual(Array(3).fill(hex('12345678')))
    expect(linesOf('123456789\n1\n')).toEqual(['too_large', hex('1')])
    expect(linesOf('123456789\r\n1\n')).toEqual(['too_large', hex('1')])
    expect(linesOf(`${'x'.repeat(1_000)}\n${'y'.repeat(1_000)}`)).toEqual([
      'too_large',
      'too_large',
    ])
  })

  test('are the same however the body is split', () => {
    const text = fc.array(fc.constantFrom('a', ' ', '\r', '\n', '1234567', '\r\n'), {
      maxLength: 40,
    })
    fc.assert(
      fc.property(text, places, (parts, at) => {
        const body = Buffer.from(parts.join(''))
        const expected = body
          .toString()
          .split('\n')
          .map((line) => line.replace(/\r$/, ''))
          .filter((line) => line.length > bytesMax || /[^ \t\r]/.test(line))
          .map((line) => (line.length > bytesMax ? 'too_large' : hex(line)))
        expect(cut(createEventLines(bytesMax), split(body, at))).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('frames', () => {
  const frame = (datum: Buffer, length = datum.length): Buffer => {
    const head = Buffer.alloc(4)
    head.writeUInt32BE(length)
    return Buffer.concat([head, datum])
  }
  const framesOf = (...chunks: Buffer[]): string[] => cut(createEventFrames(bytesMax), chunks)

  test('hold a datum each, an empty one too', () => {
    expect(framesOf(frame(Buffer.from('ab')), frame(Buffer.alloc(0)))).toEqual([hex('ab'), ''])
    expect(framesOf()).toEqual([])
  })

  test('that are too long are skipped, whatever they hold', () => {
    const long = frame(Buffer.alloc(1_000, 0))
    expect(framesOf(long, frame(Buffer.from('ab')), long)).toEqual([
      'too_large',
      hex('ab'),
      'too_large',
    ])
    expect(framesOf(frame(Buffer.from('ab'), 0xffff_ffff))).toEqual(['too_large'])
  })

  test('that the body ends in are cut off', () => {
    const whole = frame(Buffer.from('abc'))
    for (let end = 1; end < whole.length; end += 1)
      expect(framesOf(whole, whole.subarray(0, end))).toEqual([hex('abc'), 'cut_off'])
  })

  test('are the same however the body is split, and wherever it ends', () => {
    fc.assert(
      fc.property(fc.array(octets(12), { maxLength: 12 }), fc.nat(), places, (data, lost, at) => {
        const whole = Buffer.concat(data.map((datum) => frame(datum)))
        const body = whole.subarray(0, whole.length - (lost % 20 < 10 ? 0 : lost % 17))
        const expected: string[] = []
        let end = 0
        for (const datum of data) {
          const start = end
          end += 4 + datum.length
          if (start >= body.length) break
          if (start + 4 <= body.length && datum.length > bytesMax) expected.push('too_large')
          else expected.push(end <= body.length ? datum.toString('hex') : 'cut_off')
        }
        expect(cut(createEventFrames(bytesMax), split(body, at))).toEqual(expected)
      }),
      { numRuns: 2_000 },
    )
  })
})

describe('the form of a batch', () => {
  const formOf = (contentType?: string, serializationType?: string) =>
    batchFormOf({ contentType, serializationType }).form

  test('is said by the content type, or before it by the serialization type', () => {
    expect(formOf('application/x-ndjson; charset=utf-8')).toBe('json')
    expect(formOf('Application/X-Avro-Batch')).toBe('avro')
    expect(formOf(undefined, 'application/json')).toBe('json')
    expect(formOf('application/x-ndjson', 'application/x-avro-binary')).toBe('avro')
    expect(formOf('application/x-ndjson', 'something')).toBe('json')
  })

  test.each([undefined, '', 'application/json', 'avro/binary', 'text/plain', 'constructor'])(
    'is not said by %s',
    (contentType) => {
      expect(() => formOf(contentType)).toThrow(/application\/x-ndjson.*application\/x-avro-batch/)
    },
  )
})
