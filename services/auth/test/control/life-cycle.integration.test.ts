// Auth starts and stops. It is ready only with everything that it needs, and stops without dropping a request.
import { once } from 'node:events'
import { request } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { mkdtempSync, readFileSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { pollUntil } from '@weir/kit'
import { makeAccount, send, startAuth, uniqueName } from '../support.ts'

test('SIGTERM lets a request in flight finish, and ends with 0 within ten seconds', async () => {
  const auth = await startAuth()
  const account = await makeAccount(auth)
  // Given: a request whose headers have arrived, as the status 100 shows.
  const creating = request(`${auth.url}/v2/streams`, {
    method: 'POST',
    headers: { authorization: `Bearer ${account.apiKey}`, expect: '100-continue' },
  })
  creating.flushHeaders()
  await once(creating, 'continue')
  // When
  const stopped = auth.stop()
  await pollUntil(() => auth.lines().some((line) => line.includes('shutting down')), {
    deadlineMs: 60_000,
  })
  creating.end(JSON.stringify({ name: uniqueName('s') }))
  // Then
  const [response]: IncomingMessage[] = await once(creating, 'response')
  expect(response?.statusCode).toBe(201)
  response?.resume()
  await stopped
  expect(await auth.exited).toBe(0)
})

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
})
