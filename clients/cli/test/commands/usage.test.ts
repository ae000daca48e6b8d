// `weir usage` with a server that responds like auth.
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { run } from '../../src/program.ts'
import type { Terminal } from '../../src/terminal/terminal.ts'
import { quietTerminal } from '../support/quiet-terminal.ts'
import { temporaryFolder } from '../support/temporary.ts'

const answer = {
  stream: 'clicks',
  by: '1d',
  from: '2026-11-20T00:00:00.000Z',
  until: '2026-11-22T00:00:00.000Z',
  total: { events: 12, bytes: 3400, refused: { undecodable: 1, event_rate_exceeded: 2 } },
  usage: [
    { from: '2026-11-20T00:00:00.000Z', events: 12, bytes: 3400, refused: { undecodable: 1 } },
    { from: '2026-11-21T00:00:00.000Z', events: 0, bytes: 0, refused: { event_rate_exceeded: 2 } },
  ],
}

let server: Server
let url: string
const asked: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization}`)
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
})
beforeEach(() => void asked.splice(0))
afterAll(() => void server.close())

async function weir(...args: readonly string[]) {
  const [out, notes]: [string[], string[]] = [[], []]
  const cwd = temporaryFolder()
  const terminal: Terminal = {
    ...quietTerminal,
    env: { WEIR_CONFIG: `${cwd}/config.json`, WEIR_AUTH_URL: url, WEIR_API_KEY: 'k' },
    cwd,
    input: Readable.from([]),
    print: (text) => out.push(text) > 0,
    note: (text) => void notes.push(text),
  }
  const code = await run(terminal, ['usage', 'clicks', ...args])
  return { code, out: out.join('\n'), notes: notes.join('\n') }
}

test('is a table, and the sum of it', async () => {
  const { code, out, notes } = await weir()
  expect(code).toBe(0)
  expect(out.split('\n').map((line) => line.split(/ +/))).toEqual([
    ['FROM', 'EVENTS', 'BYTES', 'REFUSED'],
    ['2026-11-20T00:00:00.000Z', '12', '3400', '1'],
    ['2026-11-21T00:00:00.000Z', '0', '0', '2'],
  ])
  expect(notes).toContain(
    'In total 12 events, 3400 bytes, 3 refused (event_rate_exceeded 2, undecodable 1).',
  )
  expect(asked).toEqual(['GET /v2/streams/clicks/usage Bearer k'])
})

test('asks for the time and the pieces that were named', async () => {
  await weir('--by', '1d', '--from', '2026-11-20', '--until', '2026-11-22T00:00:00+01:00')
  expect(asked[0]).toContain(
    '/usage?by=1d&from=2026-11-20&until=2026-11-22T00%3A00%3A00%2B01%3A00 ',
  )
})

test('is the whole answer as JSON', async () => {
  const { out, notes } = await weir('-o', 'json')
  expect(JSON.parse(out)).toEqual(answer)
  expect(notes).toBe('')
})

test('is lines for a spreadsheet as CSV, and nothing else', async () => {
  const { out, notes } = await weir('-o', 'csv')
  expect(out.split('\n')).toEqual([
    'from,events,bytes,refused',
    '2026-11-20T00:00:00.000Z,12,3400,1',
    '2026-11-21T00:00:00.000Z,0,0,2',
  ])
  expect(notes).toBe('')
})
