// Third-party clients against our own HTTP/2, with and without TLS: bodies from nothing to the limit, a hundred
// concurrent streams, and very many requests on one connection. tools/testkit/ci/prepare.sh installs the clients that
// aren't part of Node.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import * as http2 from 'node:http2'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Client, H2CClient, request } from 'undici'
import { scale } from '../../../tools/testkit/src/scale.ts'
import { selfSigned } from '../conformance/certificate.ts'
import { listenHttp } from '../src/index.ts'
import type { HttpResponse, Listener } from '../src/index.ts'
import { callHttp2 } from './clients.ts'

const run = promisify(execFile)
const timeoutMs = 180_000
const bodyBytesMax = 1_048_576
const sizes = [0, 1, 471, 16_384, 65_536, 300_000, bodyBytesMax]
const streams = 100
/** True in `npm run soak`. */
const isFull = scale(true, false)
const python = join(import.meta.dirname, '../../../.weir/venv/bin/python')
const done: HttpResponse = Object.freeze({ status: 204 })

describe.each(['in the clear', 'over TLS'])('%s', (where) => {
  let listener: Listener
  let url: string
  let folder: string
  const bytesRead: number[] = []
  const file = (bytes: number): string => join(folder, String(bytes))

  beforeAll(async () => {
    const tls = where === 'over TLS' ? { tls: await selfSigned() } : {}
    listener = await listenHttp({
      host: '127.0.0.1',
      port: 0,
      ...tls,
      handler: async (received) => {
        const body = await received.body(bodyBytesMax)
        if (body === undefined) return { status: 413, body: 'too large\n' }
        bytesRead.push(body.length)
        return done
      },
      onError: (error) => process.stderr.write(`${String(error)}\n`),
    })
    url = `${where === 'over TLS' ? 'https' : 'http'}://127.0.0.1:${listener.port}/event`
    folder = await mkdtemp(join(tmpdir(), 'weir-bodies-'))
    for (const bytes of [...sizes, bodyBytesMax + 1])
      await writeFile(file(bytes), Buffer.alloc(bytes, 'x'))
  })
  afterAll(async () => {
    await listener.close(0)
    await rm(folder, { recursive: true })
  })

  /** Returns the sorted sizes of the bodies that were read after the first `from`. */
  const readSince = (from: number): number[] => bytesRead.slice(from).sort((a, b) => a - b)
  const many = (bytes: number): number[] => Array.from({ length: streams }, () => bytes)

  test('curl', async () => {
    const known = where === 'over TLS' ? '--http2' : '--http2-prior-knowledge'
    const from = bytesRead.length
    const statuses: string[] = []
    for (const bytes of [...sizes, bodyBytesMax + 1]) {
      const args = [
        '-sk',
        '-m',
        '20',
        known,
        '-o',
        '/dev/null',
        '-w',
        '%{http_version} %{http_code}',
      ]
      const { stdout } = await run('curl', [...args, '--data-binary', `@${file(bytes)}`, url])
      statuses.push(stdout)
    }
    expect(statuses).toEqual([...sizes.map(() => '2 204'), '2 413'])
    expect(readSince(from)).toEqual(sizes)
  })

  test(
    'nghttp',
    async () => {
      const from = bytesRead.length
      for (const bytes of sizes.slice(1)) {
        const { stdout } = await run('nghttp', ['-v', '-t', '20', '-d', file(bytes), url])
        expect(stdout).toContain(':status: 204')
      }
      expect(readSince(from)).toEqual(sizes.slice(1))
    },
    timeoutMs,
  )

  test(
    'h2load: very many requests on one connection, a hundred at once',
    async () => {
      const manyRequests = (where === 'over TLS' ? 10_000 : 50_000) * (isFull ? 20 : 1)
      const args = ['-n', String(manyRequests), '-c', '1', '-m', String(streams), '-d', file(471)]
      const { stdout } = await run('h2load', [...args, url])
      expect(stdout).toContain(
        `${manyRequests} done, ${manyRequests} succeeded, 0 failed, 0 errored, 0 timeout`,
      )
      expect(stdout).toContain(`${manyRequests} 2xx`)
    },
    timeoutMs,
  )

  test(
    'h2load: bodies at the limit, a hundred at once on each of three connections',
    async () => {
      const args = ['-n', '300', '-c', '3', '-m', String(streams), '-d', file(bodyBytesMax)]
      const { stdout } = await run('h2load', [...args, url])
      expect(stdout).toContain('300 succeeded, 0 failed, 0 errored, 0 timeout')
      expect(stdout).toContain('300 2xx')
    },
    timeoutMs,
  )

  test('Node’s http2', async () => {
    const session = http2.connect(new URL(url).origin, { rejectUnauthorized: false })
    const from = bytesRead.length
    const calls = [...sizes, ...many(5_000)].map((bytes) =>
      callHttp2(session, { path: '/event', body: Buffer.alloc(bytes, 'x') }),
    )
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([204]))
    expect(readSince(from)).toEqual([...sizes, ...many(5_000)].sort((a, b) => a - b))
    session.close()
  })

  test('undici', async () => {
    const { origin } = new URL(url)
    const secure = { rejectUnauthorized: false }
    const client =
      where === 'over TLS'
        ? new Client(origin, { pipelining: streams, connect: secure, allowH2: true })
        : new H2CClient(origin, { pipelining: streams })
    const from = bytesRead.length
    const post = async (bytes: number): Promise<number> => {
      const body = Buffer.alloc(bytes, 'x')
      const answer = await request(url, { method: 'POST', body, dispatcher: client })
      await answer.body.dump()
      return answer.statusCode
    }
    const statuses = await Promise.all([...sizes, ...many(5_000)].map(post))
    expect(new Set(statuses)).toEqual(new Set([204]))
    expect(readSince(from)).toEqual([...sizes, ...many(5_000)].sort((a, b) => a - b))
    await client.close()
  })

  test(
    'Python’s httpx',
    async () => {
      if (!existsSync(python)) throw new Error('run tools/testkit/ci/prepare.sh first')
      const program = join(import.meta.dirname, 'strangers.py')
      for (const [bytes, requests] of [
        [0, streams],
        [500, streams],
        [bodyBytesMax, 10],
        [bodyBytesMax, 30],
      ] as const) {
        const { stdout } = await run(python, [program, url, String(requests), String(bytes)])
        expect([bytes, stdout.trim()]).toEqual([bytes, String(requests)])
      }
    },
    timeoutMs,
  )

  test(
    'Go’s net/http',
    async () => {
      const program = join(folder, 'strangers')
      await run('go', ['build', '-o', program, join(import.meta.dirname, 'strangers.go')])
      const answered: string[] = []
      for (const bytes of [0, 5_000, bodyBytesMax]) {
        const { stdout } = await run(program, [url, String(streams), String(bytes)])
        answered.push(stdout.trim())
      }
      expect(answered).toEqual(['100', '100', '100'])
    },
    timeoutMs,
  )
})
