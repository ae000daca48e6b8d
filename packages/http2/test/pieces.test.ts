// Bodies of requests and responses in pieces: of any length, as fast as the other side, with time-outs that require
// progress.
import { createHash, randomBytes } from 'node:crypto'
import * as http from 'node:http'
import * as http2 from 'node:http2'
import type { Duplex, Writable } from 'node:stream'
import { delay, pollUntil, withTimeout } from '@weir/kit'
import { afterEach, describe, expect, test } from '@jest/globals'
import { listenHttp } from '../src/index.ts'
import type { Handler, HttpResponse, Listener, ListenOptions } from '../src/index.ts'
import { callHttp1, callHttp2, text } from './clients.ts'

const mebibyte = 1_048_576
const deadlineMs = 60_000
const digest = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** The data that the handlers below record. */
const seen = { bytes: 0, pieces: 0, ended: '', isHeld: false }

async function* answerOf(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    for await (const piece of pieces) yield piece
    seen.ended = 'whole'
  } catch (error) {
    seen.ended = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    throw error
  }
}

async function* largeAnswer(): AsyncGenerator<Buffer> {
  try {
    for (seen.pieces = 0; seen.pieces < 640; seen.pieces += 1) yield Buffer.alloc(65_536, 'x')
  } finally {
    seen.ended = 'over'
  }
}

async function* failingAnswer(): AsyncGenerator<Buffer> {
  yield Buffer.from('a beginning')
  await pollUntil(() => !seen.isHeld, { deadlineMs, everyMs: 10 })
  throw new Error('a secret reason')
}

const handler: Handler = async (request): Promise<HttpResponse> => {
  switch (request.path) {
    case '/digest': {
      const hash = createHash('sha256')
      for await (const piece of request.chunks()) {
        seen.bytes += piece.length
        seen.pieces += 1
        hash.update(piece)
        if (seen.isHeld) await pollUntil(() => !seen.isHeld, { deadlineMs, everyMs: 10 })
      }
      return { status: 200, body: hash.digest('hex') }
    }
    case '/echo':
      return { status: 200, body: answerOf(request.chunks()) }
    case '/first': {
      for await (const piece of request.chunks())
        return { status: 400, body: `${piece.length > 0}` }
      return { status: 200 }
    }
    case '/outcome':
      for await (const piece of answerOf(request.chunks())) seen.bytes += piece.length
      return { status: 204 }
    case '/large':
      return { status: 200, body: largeAnswer() }
    case '/failing':
      return { status: 200, body: failingAnswer() }
    default:
      return { status: 204 }
  }
}

type Open = { to: Writable; answered: Promise<{ status: number; from: NodeJS.ReadableStream }> }

describe.each(['own', 'node', 'HTTP/1.1'] as const)('over HTTP/2 by %s', (server) => {
  const errors: unknown[] = []
  let listener: Listener | undefined
  let session: http2.ClientHttp2Session | undefined
  afterEach(async () => {
    session?.destroy()
    await listener?.close(0)
    errors.length = 0
    Object.assign(seen, { bytes: 0, pieces: 0, ended: '', isHeld: false })
  })

  async function listen(options: Partial<ListenOptions> = {}): Promise<number> {
    const onError = (error: unknown) => errors.push(error)
    const which = server === 'HTTP/1.1' ? {} : { http2: server }
    const where = { host: '127.0.0.1', port: 0 }
    listener = await listenHttp({ ...where, handler, onError, ...which, ...options })
    if (server === 'HTTP/1.1') return listener.port
    // Node's client would abort if more than 10 MB of its own data waited.
    session = http2.connect(`http://127.0.0.1:${listener.port}`, { maxSessionMemory: 100 })
    session.on('error', () => {})
    return listener.port
  }

  const call = (port: number, path: string, body: Buffer) =>
    session === undefined ? callHttp1(port, { path, body }) : callHttp2(session, { path, body })

  /** A request whose body the test writes. */
  function open(port: number, path: string): Open {
    if (session !== undefined) {
      const stream = session.request({ ':method': 'POST', ':path': path })
      stream.on('error', () => {})
      const answered = new Promise<{ status: number; from: Duplex }>((resolve, reject) => {
        stream.on('response', (head) => resolve({ status: Number(head[':status']), from: stream }))
        stream.on('close', () => reject(new Error('closed')))
      })
      answered.catch(() => {})
      return { to: stream, answered }
    }
    const request = http.request({ port, host: '127.0.0.1', method: 'POST', path })
    const answered = new Promise<{ status: number; from: http.IncomingMessage }>(
      (resolve, reject) => {
        request.on('response', (from) => resolve({ status: from.statusCode ?? 0, from }))
        request.on('error', reject).on('close', () => reject(new Error('closed')))
      },
    )
    answered.catch(() => {})
    return { to: request, answered }
  }

  test.each([0, 1, 100_000, 20 * mebibyte])('a body of %i bytes arrives whole', async (bytes) => {
    const port = await listen()
    const body = randomBytes(bytes)
    expect(await call(port, '/digest', body)).toMatchObject({ status: 200, body: digest(body) })
    expect(seen.bytes).toBe(bytes)
  })

  test('a client is held up while no further piece is asked for, and goes on after that', async () => {
    const port = await listen()
    seen.isHeld = true
    const { to, answered } = open(port, '/digest')
    const body = randomBytes(40 * mebibyte)
    to.end(body)
    let left = -1
    const isStill = async (): Promise<boolean> => {
      const before = left
      left = to.writableLength
      await delay(100)
      return left === before && seen.bytes > 0
    }
    await pollUntil(isStill, { deadlineMs, what: 'the client standing still' })
    expect(seen.pieces).toBe(1)
    expect(seen.bytes).toBeLessThan(2 * mebibyte)
    expect(to.writableFinished).toBe(false)
    seen.isHeld = false
    expect(await text((await answered).from as AsyncIterable<Buffer>)).toBe(digest(body))
  })

  test('an answer in pieces may overtake its request, and comes as it is made', async () => {
    const port = await listen()
    const { to, answered } = open(port, '/echo')
    to.write('one')
    const { status, from } = await withTimeout(answered, deadlineMs, 'the answer')
    expect(status).toBe(200)
    const read = from[Symbol.asyncIterator]()
    expect(String((await read.next()).value)).toBe('one')
    to.write('two')
    expect(String((await read.next()).value)).toBe('two')
    to.end()
    expect((await read.next()).done).toBe(true)
    expect(seen.ended).toBe('whole')
  })

  test('both ways at once, of any length', async () => {
    const port = await listen()
    const body = randomBytes(4 * mebibyte)
    const { to, answered } = open(port, '/echo')
    to.end(body)
    const chunks: Buffer[] = []
    for await (const chunk of (await answered).from) chunks.push(Buffer.from(chunk))
    expect(digest(Buffer.concat(chunks))).toBe(digest(body))
  })

  test('who answers after the first piece drops the rest, and the connection stays usable', async () => {
    const port = await listen()
    const answer = await call(port, '/first', Buffer.alloc(4 * mebibyte))
    expect(answer).toMatchObject({ status: 400, body: 'true' })
    expect((await call(port, '/none', Buffer.alloc(1))).status).toBe(204)
  })

  test('a client that goes away midway is heard of, and is no error', async () => {
    const port = await listen()
    const { to } = open(port, '/outcome')
    to.on('error', () => {})
    to.write('some')
    await pollUntil(() => seen.bytes === 4, { deadlineMs })
    to.destroy()
    await pollUntil(() => seen.ended !== '', { deadlineMs })
    expect([seen.ended, errors]).toEqual(['http2.aborted', []])
  })

  test('a body may take longer than a whole one, as long as it gets on', async () => {
    const port = await listen({ timeouts: { bodyTimeoutMs: 2_000 } })
    const { to, answered } = open(port, '/outcome')
    for (let i = 0; i < 10; i += 1) {
      to.write(Buffer.alloc(2_048))
      await delay(250)
    }
    to.end()
    expect((await answered).status).toBe(204)
    expect(seen).toMatchObject({ bytes: 20_480, ended: 'whole' })
  })

  test('a body that drips is cut off', async () => {
    const port = await listen({ timeouts: { bodyTimeoutMs: 300 } })
    const { to, answered } = open(port, '/outcome')
    to.on('error', () => {})
    const dripping = setInterval(() => to.write('x'), 20)
    try {
      await expect(withTimeout(answered, deadlineMs, 'the end')).rejects.toThrow(
        /closed|reset|hang up/i,
      )
    } finally {
      clearInterval(dripping)
    }
    expect(seen.ended).toBe('http2.aborted')
    expect(errors).toEqual([])
  })

  test('an answer is made no faster than it is taken, and cut off when it is not', async () => {
    const port = await listen({ timeouts: { bodyTimeoutMs: 500 } })
    const { to, answered } = open(port, '/large')
    to.end()
    const { from } = await answered
    from.pause()
    await pollUntil(() => seen.ended !== '', { deadlineMs, what: 'giving up' })
    expect(seen.pieces).toBeLessThan(640)
    expect(errors).toEqual([])
  })

  test('a client that sends without end and reads nothing is held up, and cut off', async () => {
    const port = await listen({ timeouts: { bodyTimeoutMs: 500 } })
    const { to, answered } = open(port, '/echo')
    to.on('error', () => {})
    to.write(Buffer.alloc(40 * mebibyte))
    const { from } = await answered
    from.on('error', () => {}).pause()
    await pollUntil(() => seen.ended !== '' || to.destroyed, { deadlineMs, what: 'giving up' })
    expect(errors).toEqual([])
  })

  test('an answer that fails on its way breaks off, and is told to us alone', async () => {
    const port = await listen()
    seen.isHeld = true
    const { to, answered } = open(port, '/failing')
    to.end()
    const { from } = await answered
    seen.isHeld = false
    await expect(text(from as AsyncIterable<Buffer>)).rejects.toThrow(/aborted|INTERNAL|CANCEL/)
    expect(errors).toEqual([new Error('a secret reason')])
  })
})
