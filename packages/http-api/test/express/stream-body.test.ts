// Bodies that are created while they are sent. A client gets the whole body, or detects that it is incomplete.
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import type { RouteHandler, StreamedBody } from '../../src/index.ts'
import { appWith, serving } from './served.ts'

const answer =
  (stream: StreamedBody['stream']): RouteHandler =>
  () => ({ status: 200, headers: { 'content-type': 'text/csv' }, body: { stream } })

const served = <Result>(
  stream: StreamedBody['stream'],
  use: (ask: (init?: RequestInit) => Promise<Response>) => Promise<Result>,
): Promise<Result> =>
  serving(appWith(answer(stream)), (url) => use((init) => fetch(`${url}/things/x`, init)))

test('what is written arrives in order, under its own type, and nobody keeps it', async () => {
  const pieces = ['a,b\r\n', '', '1,2\r\n']
  const stream: StreamedBody['stream'] = async (write) => {
    for (const piece of pieces) await write(Buffer.from(piece))
  }
  await served(stream, async (ask) => {
    const response = await ask()
    expect([response.status, await response.text()]).toEqual([200, pieces.join('')])
    expect(response.headers.get('content-type')).toBe('text/csv')
    expect(response.headers.get('cache-control')).toBe('no-store')
  })
})

test('an answer of which the rest cannot be made does not end as a whole one', async () => {
  const stream: StreamedBody['stream'] = async (write) => {
    await write(Buffer.from('half'))
    throw new Error('the other half is missing')
  }
  await served(stream, async (ask) => {
    const response = await ask()
    await expect(response.text()).rejects.toThrow('terminated')
  })
})

test('nothing is made for HEAD, and no more once the client is gone', async () => {
  const ended: unknown[] = []
  const stream: StreamedBody['stream'] = async (write) => {
    try {
      for (;;) await write(Buffer.alloc(65_536))
    } catch (error) {
      ended.push(error)
      throw error
    }
  }
  const over = (count: number): Promise<unknown> =>
    pollUntil(() => Promise.resolve(ended.length === count || undefined), {
      deadlineMs: 30_000,
      what: 'its end',
    })
  await served(stream, async (ask) => {
    expect((await ask({ method: 'HEAD' })).status).toBe(200)
    await over(1)
    const leaving = new AbortController()
    await ask({ signal: leaving.signal })
    leaving.abort()
    await over(2)
  })
})

test('no more is made than the client reads', async () => {
  let written = 0
  const stream: StreamedBody['stream'] = async (write) => {
    for (; written < 1_000; written += 1) await write(Buffer.alloc(65_536))
  }
  await served(stream, async (ask) => {
    const response = await ask()
    // The body is created until the buffers on the way are full.
    await pollUntil(
      async () => {
        const before = written
        await new Promise((resolve) => setTimeout(resolve, 200))
        return written === before || undefined
      },
      { deadlineMs: 30_000, what: 'that it waits' },
    )
    expect(written).toBeLessThan(1_000)
    expect((await response.arrayBuffer()).byteLength).toBe(1_000 * 65_536)
  })
})
