// Arbitrary bytes and frames cause no exception, no hang and no leak. The connection gets a fake socket, so that a
// thousand sessions take only seconds.
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { expect, test } from '@jest/globals'
import { createBudget } from '../../src/h2/bounds/budget.ts'
import { createClock } from '../../src/h2/clock.ts'
import { acceptConnection } from '../../src/h2/connection.ts'
import { createHeaderDecoder, decodeHeaders, HeaderBlockError } from '../../src/hpack/decoder.ts'
import type { DecodedBlock, HeaderDecoder } from '../../src/hpack/decoder.ts'
import type { Handler } from '../../src/types.ts'
import {
  data,
  endHeaders,
  endStream,
  frame,
  framesIn,
  frameTypes,
  headers,
  literal,
  number,
  post,
  postHead,
  preface,
  reset,
  settings,
  windowUpdate,
} from '../../conformance/frames.ts'

const timeouts = { firstBytesTimeoutMs: 10_000, bodyTimeoutMs: 30_000, idleTimeoutMs: 120_000 }
const heldBytesMax = 1_048_576
const limits = { tableBytesMax: 4_096, listBytesMax: 16_384, listFieldsMax: 100 }

/** Accepts every write immediately, and stores the bytes. */
class Sink extends EventEmitter {
  written: Buffer[] = []
  writableLength = 0
  destroyed = false
  write(bytes: Buffer): boolean {
    this.written.push(bytes)
    return true
  }
  cork(): void {}
  uncork(): void {}
  pause(): void {}
  resume(): void {}
  end(): void {
    this.destroy()
  }
  destroy(): void {
    if (this.destroyed) return
    this.destroyed = true
    this.emit('close')
  }
}

/** A sink has the members of a socket that a connection uses. */
const asSocket = (sink: Sink): Socket => sink as unknown as Socket

const handler: Handler = (request) => {
  if (request.path === '/sync') return { status: 204 }
  if (request.path === '/large') return { status: 200, body: Buffer.alloc(300_000) }
  const body = request.body(10_000)
  if (!(body instanceof Promise)) return { status: body === undefined ? 413 : 204 }
  return body.then((read) => ({ status: read === undefined ? 413 : 204 }))
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Feeds a connection the chunks, ends it, checks that nothing remains, and returns its output. */
async function session(chunks: readonly Buffer[]): Promise<Buffer> {
  const sink = new Sink()
  const errors: unknown[] = []
  const budget = createBudget(heldBytesMax)
  const clock = createClock()
  const onError = (error: unknown): void => void errors.push(error)
  const connection = acceptConnection({ socket: asSocket(sink), handler, onError, budget, clock })
  for (const chunk of chunks) {
    sink.emit('data', chunk)
    if (sink.destroyed) break
  }
  await turn()
  connection.sweep(timeouts, 1_000)
  clock.nowMs += 1_000_000
  connection.sweep(timeouts, 1_000)
  await turn()
  sink.destroy()
  await turn()
  expect(errors).toEqual([])
  expect(budget).toMatchObject({ used: 0, unfinished: 0, promised: 0, connections: 0 })
  return Buffer.concat(sink.written)
}

/** Cuts the bytes at these places, given as fractions of the whole. */
function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = places.map((place) => Math.floor(place * bytes.length)).sort((a, b) => a - b)
  return [0, ...cuts].map((from, i) => bytes.subarray(from, cuts[i] ?? bytes.length))
}

/** Returns undefined if the block is refused, which is also valid. */
function decodeOrRefuse(decoder: HeaderDecoder, block: Buffer): DecodedBlock | undefined {
  try {
    return decodeHeaders(decoder, block)
  } catch (error) {
    if (error instanceof HeaderBlockError) return undefined
    throw error
  }
}

const bytesOf = (max: number) =>
  fc.uint8Array({ maxLength: max }).map((bytes) => Buffer.from(bytes))
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
const streamId = fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 0, max: 0x7fff_ffff }))
const flags = fc.oneof(
  fc.constantFrom(0, 1, 4, 5, 8, 12, 13, 36, 37),
  fc.integer({ max: 255, min: 0 }),
)
const path = fc.constantFrom('/', '/sync', '/large')

/** Mostly valid frames. */
const anyFrame = fc.oneof(
  fc
    .tuple(fc.integer({ min: 0, max: 11 }), flags, streamId, bytesOf(40))
    .map((args) => frame(...args)),
  fc.tuple(streamId, path, flags).map(([id, to, some]) => post(id, to, some)),
  fc.tuple(streamId, path).map(([id, to]) => post(id, to, endHeaders)),
  fc.tuple(streamId, bytesOf(200), flags).map(([id, body, some]) => data(id, body, some)),
  fc
    .tuple(streamId, fc.integer({ min: 0, max: 0xffff_ffff }))
    .map(([id, by]) => windowUpdate(id, by)),
  fc.tuple(streamId, fc.integer({ min: 0, max: 13 })).map(([id, code]) => reset(id, code)),
  fc.tuple(fc.integer({ min: 0, max: 7 }), fc.nat()).map((pair) => settings(pair)),
  bytesOf(8).map((bytes) => frame(frameTypes.ping, 0, 0, bytes)),
  fc.tuple(streamId, bytesOf(60), flags).map(([id, block, some]) => headers(id, block, some)),
)

/** A well-behaved client: requests with bodies, trailers, pings. */
const request = (id: number, to: string, body: Buffer): Buffer =>
  Buffer.concat([
    post(id, to, endHeaders),
    data(id, body.subarray(0, 5)),
    frame(frameTypes.ping, 0, 0, Buffer.alloc(8)),
    data(id, body.subarray(5)),
    headers(id, literal('x-checksum', '1'), endHeaders | endStream),
  ])
const validSession = fc
  .array(fc.tuple(path, bytesOf(300)), { minLength: 1, maxLength: 8 })
  .map((requests) =>
    Buffer.concat([
      preface,
      settings(),
      windowUpdate(0, 100_000_000),
      ...requests.map(([to, body], i) => request(2 * i + 1, to, body)),
    ]),
  )

test('random bytes after the preface end in an answer or a GOAWAY', async () => {
  await fc.assert(
    fc.asyncProperty(bytesOf(2_000), places, async (bytes, cuts) => {
      await session(cutAt(Buffer.concat([preface, bytes]), cuts))
      await session(cutAt(bytes, cuts))
    }),
    { numRuns: 300 },
  )
})

test('frames in any order end in answers or a GOAWAY', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyFrame, { maxLength: 60 }), places, async (frames, cuts) => {
      const written = await session(cutAt(Buffer.concat([preface, settings(), ...frames]), cuts))
      expect(framesIn(written).size).toBe(written.length)
    }),
    { numRuns: 500 },
  )
})

test('a valid session is answered the same wherever its bytes are cut', async () => {
  const answersIn = (written: Buffer): number[] =>
    framesIn(written)
      .frames.filter(({ type }) => type === frameTypes.headers)
      .map(({ stream }) => stream)
      .sort((a, b) => a - b)
  await fc.assert(
    fc.asyncProperty(validSession, places, async (bytes, cuts) => {
      const whole = answersIn(await session([bytes]))
      expect(whole.length).toBeGreaterThan(0)
      expect(answersIn(await session(cutAt(bytes, cuts)))).toEqual(whole)
    }),
    { numRuns: 150 },
  )
})

test('a session in which some bytes are changed ends in answers or a GOAWAY', async () => {
  const changes = fc.array(fc.tuple(fc.double({ min: 0, max: 0.999, noNaN: true }), fc.nat(255)), {
    minLength: 1,
    maxLength: 6,
  })
  await fc.assert(
    fc.asyncProperty(validSession, changes, places, async (bytes, changed, cuts) => {
      const mutated = Buffer.from(bytes)
      for (const [place, value] of changed) mutated[Math.floor(place * mutated.length)] = value
      await session(cutAt(mutated, cuts))
    }),
    { numRuns: 400 },
  )
})

test('any header block is read or refused, within its bounds', () => {
  const pieces = fc.oneof(
    bytesOf(30),
    fc.constant(postHead('/')),
    fc
      .tuple(fc.integer({ min: 0, max: 255 }), bytesOf(20))
      .map(([first, rest]) => Buffer.concat([Buffer.of(first), rest])),
    fc.nat().map(number),
  )
  fc.assert(
    fc.property(fc.array(fc.array(pieces, { maxLength: 8 }), { maxLength: 8 }), (blocks) => {
      const decoder = createHeaderDecoder(limits)
      for (const block of blocks) {
        const read = decodeOrRefuse(decoder, Buffer.concat(block))
        if (read === undefined) return
        const bytes = read.fields.reduce(
          (sum, { name, value }) => sum + name.length + value.length,
          0,
        )
        expect(bytes).toBeLessThanOrEqual(limits.listBytesMax)
      }
    }),
    { numRuns: 2_000 },
  )
})
