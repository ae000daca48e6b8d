import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { afterEach, expect, test } from '@jest/globals'

import { createMetrics, pollUntil, startAdmin } from '../../src/index.ts'
import type { AdminPort } from '../../src/index.ts'

let admin: AdminPort | undefined
afterEach(() => admin?.close())

async function get(path: string, method = 'GET') {
  const response = await fetch(`http://127.0.0.1:${admin?.port}${path}`, { method })
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    text: await response.text(),
  }
}

const registry = createMetrics('ingest')

test('metrics come in the text format, with the process and the service label', async () => {
  admin = await startAdmin({ host: '127.0.0.1', port: 0, registry, readiness: () => [] })
  const { status, type, text } = await get('/metrics')
  expect(status).toBe(200)
  expect(type).toContain('text/plain')
  expect(text).toMatch(/process_cpu_seconds_total\{service="ingest"\} /)
})

test('live stays 200 while ready gives 503 with every reason, and 200 once none is left', async () => {
  let reasons = ['control is behind', 'no broker']
  admin = await startAdmin({ host: '127.0.0.1', port: 0, registry, readiness: () => reasons })
  expect((await get('/health/live')).status).toBe(200)
  const unready = await get('/health/ready')
  expect([unready.status, JSON.parse(unready.text)]).toEqual([503, reasons])
  reasons = []
  const ready = await get('/health/ready?now')
  expect([ready.status, JSON.parse(ready.text)]).toEqual([200, []])
})

test('a warning stands in the body of ready, and does not make it unready', async () => {
  const warnings = () => ['the lamp is broken']
  admin = await startAdmin({ port: 0, registry, readiness: () => [], warnings })
  const ready = await get('/health/ready')
  expect([ready.status, JSON.parse(ready.text)]).toEqual([200, ['warning: the lamp is broken']])
  expect((await get('/metrics')).text).toContain('weir_ready{service="ingest"} 1')
})

test('a readiness check that throws counts as unready', async () => {
  const readiness = () => {
    throw new Error('secret')
  }
  admin = await startAdmin({ host: '127.0.0.1', port: 0, registry, readiness })
  const { status, text } = await get('/health/ready')
  expect(status).toBe(503)
  expect(text).not.toContain('secret')
})

test('anything else is refused', async () => {
  admin = await startAdmin({ host: '127.0.0.1', port: 0, registry, readiness: () => [] })
  expect((await get('/')).status).toBe(404)
  expect((await get('/metrics', 'POST')).status).toBe(405)
})

test('a port in use rejects instead of crashing', async () => {
  admin = await startAdmin({ host: '127.0.0.1', port: 0, registry, readiness: () => [] })
  const options = { host: '127.0.0.1', port: admin.port, registry, readiness: () => [] }
  await expect(startAdmin(options)).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

test('whoever holds many connections makes room for others with the oldest', async () => {
  admin = await startAdmin({ host: '127.0.0.1', port: 0, registry, readiness: () => [] })
  const held: Socket[] = []
  for (let nth = 0; nth < 70; nth += 1) held.push(await connected(admin.port))
  expect((await get('/health/live')).status).toBe(200)
  const areGone = () => held.slice(0, 7).every(({ destroyed }) => destroyed)
  await pollUntil(areGone, { deadlineMs: 60_000, what: 'the end of the oldest' })
  expect(held.slice(7).filter(({ destroyed }) => destroyed)).toEqual([])
  for (const socket of held) socket.destroy()
})

test('a request whose head does not come to its end is given up', async () => {
  admin = await startAdmin({ host: '127.0.0.1', port: 0, registry, readiness: () => [] })
  const socket = await connected(admin.port)
  socket.write('GET /metrics HTTP/1.1\r\nx-slow: ')
  const isSlow = setInterval(() => socket.write('1'), 500)
  const [answer] = await once(socket, 'data')
  clearInterval(isSlow)
  expect(String(answer)).toMatch(/^HTTP\/1.1 408 /)
  await once(socket, 'close')
}, 60_000)

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket.resume()
}
