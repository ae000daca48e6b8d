// `weir send` with an ingest that refuses some of the events.
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { fakeAuth } from '../../support/fake-auth.ts'
import type { FakeAuth } from '../../support/fake-auth.ts'
import { createWeir } from '../../support/weir.ts'

const weir = createWeir({ isHere: true })
type Refusal = { readonly status: number; readonly text: string; readonly headers: object }
/** The next responses. After these, all events are accepted. */
const answers: (Refusal | undefined)[] = []
const stored: string[] = []
let auth: FakeAuth
let ingest: Server
let env: Record<string, string>

beforeAll(async () => {
  auth = await fakeAuth({ stream: 'orders', kind: 'input' })
  ingest = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      const refusal = answers.shift()
      if (refusal === undefined) stored.push(body)
      response.writeHead(refusal?.status ?? 204, { ...refusal?.headers })
      response.end(refusal?.text)
    })
  })
  await new Promise<void>((resolve) => ingest.listen(0, '127.0.0.1', resolve))
  const address = ingest.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  env = {
    WEIR_AUTH_URL: auth.url,
    WEIR_INGEST_URL: `http://127.0.0.1:${port}`,
    WEIR_BILLING_ID: 'acme',
    WEIR_CLIENT_ID: 'c',
    WEIR_CLIENT_SECRET: 's',
  }
})
beforeEach(() => {
  answers.splice(0)
  stored.splice(0)
})
afterAll(() => {
  auth.close()
  ingest.close()
})

const lines = [1, 2, 3, 4].map((number) => JSON.stringify({ number }))
const input = `${lines.join('\n')}\n`
const refusal = (status: number, code: string, text: string, seconds = '0'): Refusal => ({
  status,
  text,
  headers: { 'svc-error': code, 'retry-after': seconds },
})
const tooFast = (seconds = '0') =>
  refusal(429, 'event_rate_exceeded', 'The stream accepts 2 events a second at most', seconds)

test('an event that is too fast, or that an outage kept from being stored, is sent again, once and in order', async () => {
  answers.push(undefined, tooFast(), tooFast(), undefined, refusal(503, 'unavailable', 'No Kafka'))
  expect(await weir.run('send orders --schema x', { env, input })).toMatchObject({
    code: 0,
    stdout: '4 events accepted (204)\n',
    stderr: '',
  })
  expect(stored).toEqual(lines)
})

test('it says which lines were not sent, and how to send them, if the wait would be too long', async () => {
  const file = join(weir.folder, 'four.ndjson')
  writeFileSync(file, input)
  const stopped =
    'weir: stopped at line 3: The stream accepts 2 events a second at most (429)\n  Try again in 3600 s.\n'
  answers.push(undefined, undefined, tooFast('3600'))
  expect(await weir.run(`send orders --schema x -f ${file}`, { env })).toMatchObject({
    code: 1,
    stdout: '2 events accepted (204)\n',
    stderr: `${stopped}  Lines 3 to 4 were not sent: tail -n +3 ${file} | weir send orders --schema x\n`,
  })
  answers.push(undefined, undefined, tooFast('3600'))
  const piped = await weir.run('send orders --schema x', { env, input })
  expect(piped.stderr).toBe(`${stopped}  Lines from 3 on were not sent.\n`)
})

test('an event that may be stored is not sent again, and the command says so', async () => {
  answers.push(undefined, refusal(503, 'unavailable', 'May be stored: Kafka did not answer'))
  const piped = await weir.run('send orders --schema x', { env, input })
  expect(piped.stdout).toBe('1 event accepted (204)\n')
  expect(piped.stderr).toContain('  Line 2 may be stored.\n  Lines from 3 on were not sent.\n')
  expect(stored).toEqual(lines.slice(0, 1))

  answers.push(undefined, refusal(503, 'unavailable', 'Kafka is down', '3600'))
  const unstored = await weir.run('send orders --schema x', { env, input })
  expect(unstored.stderr).toMatch(/ 3600 s\.\n(.*\n)?  Lines from 2 on were not sent\.\n$/)
  answers.push(undefined, { status: 502, text: '', headers: {} })
  const byProxy = await weir.run('send orders --schema x', { env, input })
  expect(byProxy.stderr).toContain('  Line 2 may be stored.\n')
})
