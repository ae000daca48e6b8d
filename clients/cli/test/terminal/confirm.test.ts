// A command that can't be undone asks first on a terminal, and only there.
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { run } from '../../src/program.ts'
import type { Terminal } from '../../src/terminal/terminal.ts'
import { quietTerminal } from '../support/quiet-terminal.ts'
import { temporaryFolder } from '../support/temporary.ts'

const changes: string[] = []
const server = createServer((request, response) => {
  if (request.method !== 'GET') changes.push(`${request.method ?? ''} ${request.url ?? ''}`)
  response.setHeader('content-type', 'application/json')
  // One response that every command accepts.
  response.end(
    JSON.stringify({ deleted: [], credentials: [{ clientId: 'c1' }], ref: { name: 's' } }),
  )
})
let url: string

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
})
beforeEach(() => void changes.splice(0))
afterAll(() => void server.close())

async function weir(line: string, answer?: string) {
  const asked: string[] = []
  const cwd = temporaryFolder()
  const terminal: Terminal = {
    ...quietTerminal,
    env: {
      WEIR_CONFIG: `${cwd}/config.json`,
      WEIR_AUTH_URL: url,
      WEIR_API_KEY: 'k',
      WEIR_BILLING_ID: 'a',
    },
    cwd,
    input: Readable.from([]),
    isInteractive: answer !== undefined,
    print: () => true,
    note: () => undefined,
    ask: (question) => {
      asked.push(question)
      return Promise.resolve(answer ?? '')
    },
  }
  return { code: await run(terminal, line.split(' ')), asked, changes: [...changes] }
}

describe.each([
  ['stream delete s', 'DELETE /v2/streams/s'],
  ['output delete s o', 'DELETE /v2/streams/s/outputs/o'],
  ['output rebuild s o', 'POST /v2/streams/s/outputs/o/rebuild'],
  ['contract archive c', 'POST /v2/contracts/c/archive'],
  ['subject erase s somebody', 'POST /v2/streams/s/erasures'],
  ['subject withdraw s somebody --level 2', 'POST /v2/streams/s/erasures'],
])('weir %s', (line, change) => {
  test('asks on a terminal, and anything but yes changes nothing', async () => {
    for (const answer of ['', 'n', 'yess', 'no']) {
      const { code, asked, changes: made } = await weir(line, answer)
      expect([code, asked.length, made]).toEqual([1, 1, []])
    }
    expect(await weir(line, 'y')).toMatchObject({ code: 0, changes: [change] })
  })

  test('does not ask with --yes, nor where nobody could answer', async () => {
    expect(await weir(`${line} --yes`, 'n')).toEqual({ code: 0, asked: [], changes: [change] })
    changes.splice(0)
    expect(await weir(line)).toEqual({ code: 0, asked: [], changes: [change] })
  })
})
