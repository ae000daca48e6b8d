// The admin port, seen by its client.

import { afterEach, expect, test } from '@jest/globals'

import { createMetrics, startAdmin } from '../../src/index.ts'
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
