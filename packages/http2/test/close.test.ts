// How a port closes: open requests complete within the grace period, and no client can extend it.
import { createServer, Agent } from 'node:http'
import * as http2 from 'node:http2'
import * as net from 'node:net'
import { pollUntil, withTimeout } from '@weir/kit'
import { describe, expect, test } from '@jest/globals'
import { listenHttp, listenNode } from '../src/index.ts'
import type { HttpResponse } from '../src/index.ts'
import { callHttp1, callHttp2 } from './clients.ts'

const deadlineMs = 60_000

describe.each(['own', 'node'] as const)('HTTP/2 by %s', (http2Server) => {
  /** Starts a listener whose requests wait until they are released. */
  async function waiting() {
    const waiters: ((response: HttpResponse) => void)[] = []
    const listener = await listenHttp({
      host: '127.0.0.1',
      port: 0,
      handler: ({ path }) =>
        path === '/now' ? { status: 204 } : new Promise((resolve) => waiters.push(resolve)),
      onError: () => {},
      http2: http2Server,
    })
    const arrived = (count: number) => pollUntil(() => waiters.length === count, { deadlineMs })
    return { listener, arrived, letGo: () => waiters.forEach((go) => go({ status: 200 })) }
  }

  test('a kept-alive connection that is used while the port closes is told so, and not cut', async () => {
    const { listener } = await waiting()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect((await callHttp1(listener.port, { path: '/now' }, agent)).status).toBe(204)
    const closed = listener.close(600_000)
    const last = await callHttp1(listener.port, { path: '/now' }, agent)
    expect([last.status, last.headers['connection']]).toEqual([204, 'close'])
    await withTimeout(closed, deadlineMs, 'closing')
    agent.destroy()
  })

  test('an idle port closes soon, whatever the grace', async () => {
    const { listener } = await waiting()
    const session = http2.connect(`http://127.0.0.1:${listener.port}`)
    const agent = new Agent({ keepAlive: true })
    const silent = net.connect(listener.port, '127.0.0.1').on('error', () => {})
    await callHttp2(session, { path: '/now' })
    expect((await callHttp1(listener.port, { path: '/now' }, agent)).status).toBe(204)
    await withTimeout(listener.close(600_000), deadlineMs, 'closing')
    agent.destroy()
    silent.destroy()
  })

  test('a kept-alive connection is told with its last answer that it ends', async () => {
    const { listener, arrived, letGo } = await waiting()
    const agent = new Agent({ keepAlive: true })
    const reply = callHttp1(listener.port, { path: '/' }, agent)
    await arrived(1)
    const closed = listener.close(600_000)
    letGo()
    expect((await reply).status).toBe(200)
    await withTimeout(closed, deadlineMs, 'closing')
    agent.destroy()
  })

  test('what is still under way after the grace is cut', async () => {
    const { listener, arrived } = await waiting()
    const session = http2.connect(`http://127.0.0.1:${listener.port}`)
    session.on('error', () => {})
    const outcome = Promise.allSettled([
      callHttp1(listener.port, { path: '/' }),
      callHttp2(session, { path: '/' }),
    ])
    await arrived(2)
    await withTimeout(listener.close(50), deadlineMs, 'closing')
    expect((await outcome).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })

  test('closing twice is closing once', async () => {
    const { listener } = await waiting()
    expect(await Promise.all([listener.close(), listener.close(0)])).toHaveLength(2)
  })

  test('a port in use rejects instead of crashing', async () => {
    const { listener } = await waiting()
    const again = { host: '127.0.0.1', port: listener.port, server: createServer() }
    await expect(listenNode(again)).rejects.toMatchObject({ code: 'EADDRINUSE' })
    await listener.close(0)
  })
})

test('an http.Server closes the same way, upgraded connections at the end of the grace', async () => {
  const server = createServer((_req, res) => res.end('x'))
  server.on('upgrade', (_req, socket) =>
    socket.on('error', () => {}).write('HTTP/1.1 101 x\r\n\r\n'),
  )
  const listener = await listenNode({ host: '127.0.0.1', port: 0, server })
  const socket = net.connect(listener.port, '127.0.0.1').on('error', () => {})
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n')
  await new Promise((resolve) => socket.once('data', resolve))
  const gone = new Promise((resolve) => socket.once('close', resolve))
  await withTimeout(listener.close(50), deadlineMs, 'closing')
  expect(await withTimeout(gone, deadlineMs, 'the cut')).toBe(false)
})
