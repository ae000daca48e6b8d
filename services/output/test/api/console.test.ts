// Output serves the console: what the page may load and connect to, and the response if the page isn't built.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import express from 'express'
import { mountConsole } from '../../src/api/console.ts'

const urls = { authUrl: 'https://auth.test', ingestUrl: 'https://ingest.test:8443/in' }
let close = async (): Promise<void> => {}
afterEach(() => close())

async function serve(isBuilt: boolean) {
  const folder = await mkdtemp(join(tmpdir(), 'weir-console-'))
  if (isBuilt) {
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<!doctype html>')
    await writeFile(join(folder, '.built-from'), 'secret')
    await writeFile(join(folder, 'assets', 'index-1.js'), '1')
  }
  const app = express()
  mountConsole(app, { folder, ...urls })
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  close = async () => {
    await new Promise((resolve) => server.close(resolve))
    await rm(folder, { recursive: true })
  }
  const { port } = addressOf(server.address())
  return (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
}

function addressOf(address: string | AddressInfo | null): AddressInfo {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return address
}

test('the page may load its own files and call Weir alone', async () => {
  const get = await serve(true)
  for (const path of ['/console', '/console/', '/console/where.json']) {
    const policy = (await get(path)).headers.get('content-security-policy') ?? ''
    expect(policy.split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data:",
      "connect-src 'self' https://auth.test https://ingest.test:8443",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'none'",
    ])
  }
})

test('the page is asked for anew each time, its files are kept', async () => {
  const get = await serve(true)
  expect((await get('/console/')).headers.get('cache-control')).toBe('no-cache')
  const script = await get('/console/assets/index-1.js')
  expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(script.headers.get('x-content-type-options')).toBe('nosniff')
})

test('the address of output alone leads to it', async () => {
  const get = await serve(true)
  const answer = await get('/')
  expect([answer.redirected, new URL(answer.url).pathname]).toEqual([true, '/console/'])
})

test('it is told where auth and ingest are', async () => {
  const get = await serve(true)
  expect(await (await get('/console/where.json')).json()).toEqual(urls)
})

test('nothing else of the folder, or beside it, is served', async () => {
  const get = await serve(true)
  for (const path of ['/console/.built-from', '/console/..%2f..%2fetc/passwd'])
    expect((await get(path)).status).toBeGreaterThanOrEqual(400)
})

test('where it is not built, a sentence says how it is', async () => {
  const get = await serve(false)
  const answer = await get('/console')
  expect(answer.status).toBe(404)
  expect(await answer.text()).toContain('npm start builds it')
  expect((await get('/')).status).toBe(404)
})
