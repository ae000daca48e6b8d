// How auth begins and ends: ready only when all it needs is there, and gone without leaving a request.
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { startService } from '@weir/devstack'
import { pollUntil } from '@weir/kit'
import { makeAccount, send, startAuth, startAuthEnv, uniqueName } from './support.ts'

test('SIGTERM lets a request in flight finish, and ends with 0 within ten seconds', async () => {
  const auth = await startAuth()
  const account = await makeAccount(auth)
  // Given: a request whose head has arrived, which is what 100 says.
  const creating = request(`${auth.url}/v2/streams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, expect: '100-continue' },
  })
  creating.flushHeaders()
  await once(creating, 'continue')
  // When
  const stopped = auth.stop()
  await pollUntil(() => auth.lines().some((line) => line.includes('shutting down')), {
    deadlineMs: 5_000,
  })
  creating.end(JSON.stringify({ name: uniqueName('s') }))
  // Then
  const [response]: IncomingMessage[] = await once(creating, 'response')
  expect(response?.statusCode).toBe(201)
  response?.resume()
  await stopped
  expect(await auth.exited).toBe(0)
}, 30_000)

test('it is live, but neither ready nor open, while the registry gives contracts other ids', async () => {
  // Given: a contract, so that there is something to ask for, and a registry that knows it otherwise.
  const registry = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ id: 987_654_321, version: 1, schema: '{}' }))
  })
  await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve))
  const healthy = await startAuth()
  const account = await makeAccount(healthy)
  const made = await account.post('/v2/contracts', contract())
  expect(made.status).toBe(201)
  // When
  const seen: { ready: number; reasons: string; live: number; api: number }[] = []
  const starting = startService({
    name: 'auth',
    readyWithinMs: 6_000,
    env: { ...startAuthEnv, SCHEMA_REGISTRY_URL: urlOf(registry.address()) },
    onLine(line) {
      const { port, adminPort, msg }: { port?: number; adminPort?: number; msg?: string } =
        JSON.parse(line)
      if (msg === 'not ready yet; trying again') void look(looked)
      if (msg === 'listening') looked = { port: port ?? 0, adminPort: adminPort ?? 0 }
    },
  })
  let looked = { port: 0, adminPort: 0 }
  async function look({ port, adminPort }: typeof looked): Promise<void> {
    const ready = await send(`http://127.0.0.1:${adminPort}/health/ready`)
    const live = await send(`http://127.0.0.1:${adminPort}/health/live`)
    const api = await send(`http://127.0.0.1:${port}/v2/account`, { bearer: account.apiKey })
    seen.push({ ready: ready.status, reasons: ready.text, live: live.status, api: api.status })
  }
  // Then
  await expect(starting).rejects.toMatchObject({ code: 'timeout' })
  expect(seen.length).toBeGreaterThan(0)
  expect(seen[0]).toMatchObject({ ready: 503, live: 200, api: 503 })
  expect(seen[0]?.reasons).toContain('registry')
  await healthy.stop()
  registry.close()
}, 60_000)

test('a platform key file is made at the first start, for its owner alone, and kept', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'weir-auth-test-')), 'platform-key')
  const withFile = { PLATFORM_KEY: '', PLATFORM_KEY_FILE: file }
  const first = await startAuth(withFile)
  const key = readFileSync(file, 'utf8').trim()
  expect(statSync(file).mode & 0o777).toBe(0o600)
  await first.stop()
  const second = await startAuth(withFile)
  expect(readFileSync(file, 'utf8').trim()).toBe(key)
  const reply = await send(`${second.url}/v2/accounts`, {
    method: 'POST',
    bearer: key,
    json: { billingId: uniqueName('acc') },
  })
  expect(reply.status).toBe(201)
  expect(second.lines().join('\n')).not.toContain(key)
  await second.stop()
}, 60_000)

function urlOf(address: AddressInfo | string | null): string {
  if (typeof address !== 'object' || address === null) throw new Error('not listening')
  return `http://127.0.0.1:${address.port}`
}

function contract() {
  const member = (name: string, type: unknown) => ({ name, type })
  return {
    id: uniqueName('contract'),
    schema: {
      schema_type: 'avro',
      schema_registry_ref: `${uniqueName('catalog')}/latest`,
      definition: {
        type: 'record',
        name: 'Event',
        fields: [
          member('svcMeta', {
            type: 'record',
            name: 'Envelope',
            fields: [
              member('schemaId', 'string'),
              member('nonce', 'int'),
              member('timestamp', 'long'),
              { name: 'keyLink', type: ['null', 'int'], default: null },
              { name: 'billingId', type: ['null', 'string'], default: null },
              member('consentLevels', { type: 'array', items: 'int' }),
            ],
          }),
          member('session', 'string'),
        ],
      },
    },
    validations: [],
    key_field: 'session',
    pii_fields: { session: 1 },
  }
}
