// A command that can't be undone asks first, but only on a terminal. The answer must be a name, so that another pasted
// line can't confirm.
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { run } from '../../src/program.ts'
import type { Terminal } from '../../src/terminal/terminal.ts'
import { quietTerminal } from '../support/quiet-terminal.ts'
import { temporaryFolder, writeJson } from '../support/temporary.ts'
import { compiledOnce } from '../support/weir.ts'

const changes: string[] = []
const server = createServer((request, response) => {
  if (request.method !== 'GET') changes.push(`${request.method ?? ''} ${request.url ?? ''}`)
  response.setHeader('content-type', 'application/json')
  if (request.url?.endsWith('/many/erasures'))
    return void response.end(JSON.stringify([{ id: 'e1' }, { id: 'e2' }]))
  // One response that every command accepts.
  response.end(
    JSON.stringify({
      deleted: [],
      credentials: [{ clientId: 'c1' }],
      ref: { name: 's' },
      keyRetentionDays: 365,
      retentionHours: 168,
    }),
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

async function weirOn(line: string, answer?: string, profile: object = {}) {
  const asked: string[] = []
  const notes: string[] = []
  const cwd = temporaryFolder()
  writeJson(`${cwd}/config.json`, profile)
  const terminal: Terminal = {
    ...quietTerminal,
    env: {
      WEIR_CONFIG: `${cwd}/config.json`,
      WEIR_AUTH_URL: url,
      WEIR_API_KEY: 'k',
      WEIR_PLATFORM_KEY: 'p',
      WEIR_BILLING_ID: 'a',
    },
    cwd,
    input: Readable.from([]),
    isInteractive: answer !== undefined,
    print: () => true,
    note: (text) => void notes.push(text),
    ask: (question) => {
      asked.push(question)
      return answer === undefined ? undefined : Promise.resolve(answer)
    },
  }
  const code = await run(terminal, line.split(' '))
  return { told: { code, asked, changes: [...changes] }, notes }
}

const weir = async (line: string, answer?: string) => (await weirOn(line, answer)).told

test.each([
  ['stream update s --key-retention-days 400', 'PATCH /v2/streams/s'],
  ['stream update s --retention-hours 169', 'PATCH /v2/streams/s'],
  ['stream update s --rate 5', 'PATCH /v2/streams/s'],
  ['output update s o --retention-hours 168', 'PATCH /v2/streams/s/outputs/o'],
])('weir %s does not ask, because nothing is deleted', async (line, change) => {
  const { asked, changes: made } = await weir(line, 'n')
  expect([asked, made]).toEqual([[], [change]])
})

test('before a stream is deleted, it says how many erasures lose their receipts', async () => {
  const { notes, told } = await weirOn('stream delete many', 'n')
  expect(notes.join('\n')).toContain('The records of its erasures and withdrawals (2) are deleted')
  expect(notes.join('\n')).toContain('Save the receipts first')
  expect(told).toMatchObject({ asked: ['Type many to confirm: '], changes: [] })
})

test('before a withdrawal it says which levels no output has', async () => {
  const { notes, told } = await weirOn('subject withdraw s somebody --level 2 --level 7', 'n')
  expect(notes[0]).toContain('\nNo output has level 2, 7. Is it the right level?')
  expect(told).toMatchObject({ asked: ['Type somebody to confirm: '], changes: [] })
})

test('weir account logout asks, and names what nobody can show again', async () => {
  const profile = {
    accounts: {
      b: { authUrl: url, apiKey: 'k', streams: { s: { clientId: 'c', clientSecret: 'x' } } },
    },
  }
  const logout = (line: string, answer?: string) => weirOn(line, answer, profile)
  const { told, notes } = await logout('account logout b', 'n')
  expect(told).toMatchObject({ code: 1, asked: ['Type b to confirm: '] })
  expect(notes[0]).toBe(
    'This removes its API key and the credentials of s from the profile, and nobody can show them again.',
  )
  const removed = { told: { code: 0 }, notes: ['b is no longer in the profile.'] }
  expect(await logout('account logout b --yes', 'n')).toMatchObject(removed)
  expect(await logout('account logout b')).toMatchObject(removed)
  const empty = { accounts: { b: { authUrl: url, streams: {} } } }
  expect(await weirOn('account logout b', 'n', empty)).toMatchObject(removed)
  const several = {
    current: 'b',
    accounts: { ...empty.accounts, other: { authUrl: url, apiKey: 'o', streams: {} } },
  }
  expect((await weirOn('account logout b', 'n', several)).notes).toEqual([
    'b is no longer in the profile.',
    'No account is current now. To use another: weir account use other',
  ])
})

const deletion = 'account delete a'

test('weir account delete asks on the terminal, even if the key is on its input', async () => {
  expect(await weir(deletion, 'b')).toMatchObject({ code: 1, asked: ['Type a to confirm: '] })
  expect(await weir(deletion)).toMatchObject({ code: 2, changes: [] })
  expect(await weir(`${deletion} --yes`)).toMatchObject({
    code: 0,
    asked: [],
    changes: ['DELETE /v2/accounts/a'],
  })
})

describe.each([
  ['stream delete s', 's', 'DELETE /v2/streams/s'],
  ['stream update s --key-retention-days 1', 's', 'PATCH /v2/streams/s'],
  ['stream update s --retention-hours 167', 's', 'PATCH /v2/streams/s'],
  ['stream update s --retention-hours 24 --key-retention-days 1', 's', 'PATCH /v2/streams/s'],
  ['output update s o --retention-hours broker', 'o', 'PATCH /v2/streams/s/outputs/o'],
  ['output delete s o', 'o', 'DELETE /v2/streams/s/outputs/o'],
  ['output rebuild s o', 'o', 'POST /v2/streams/s/outputs/o/rebuild'],
  ['contract archive c', 'c', 'POST /v2/contracts/c/archive'],
  ['subject erase s somebody', 'somebody', 'POST /v2/streams/s/erasures'],
  ['subject withdraw s somebody --level 2', 'somebody', 'POST /v2/streams/s/erasures'],
])('weir %s', (line, name, change) => {
  test('asks on a terminal, and anything but the name changes nothing', async () => {
    for (const answer of ['', 'n', 'y', 'yes', `${name}s`]) {
      const { told, notes } = await weirOn(line, answer)
      const { code, asked, changes: made } = told
      expect([code, asked.length, made]).toEqual([1, 1, []])
      expect(notes.at(-1)).toBe('weir: not confirmed, so nothing was done')
    }
    expect(await weir(line, name)).toMatchObject({ code: 0, changes: [change] })
  })

  test('does not ask with --yes, nor where nobody could answer', async () => {
    expect(await weir(`${line} --yes`, 'n')).toEqual({ code: 0, asked: [], changes: [change] })
    changes.splice(0)
    expect(await weir(line)).toEqual({ code: 0, asked: [], changes: [change] })
  })
})

/** Returns what a shell on its own terminal shows, while `typed` is typed there. */
function inTerminal(
  line: (weir: string, folder: string) => string,
  typed: string,
): Promise<string> {
  const bin = fileURLToPath(new URL('../../bin/weir.js', import.meta.url))
  const folder = temporaryFolder()
  const child = spawn(
    'script',
    ['-qec', line(`'${process.execPath}' '${bin}'`, folder), '/dev/null'],
    {
      env: {
        ...compiledOnce,
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        SHELL: '/bin/sh',
        WEIR_CONFIG: `${folder}/config.json`,
        WEIR_AUTH_URL: url,
        WEIR_API_KEY: 'k',
        WEIR_BILLING_ID: 'a',
      },
    },
  )
  child.stdin.end(typed)
  return text(child.stdout)
}

test('in a real terminal, the deletion of an account is confirmed there, and the key comes from a file', async () => {
  const line = (weir: string, folder: string) =>
    `echo key > '${folder}/key'; ${weir} ${deletion} < '${folder}/key'`
  expect(await inTerminal(line, 'b\n')).toContain('not confirmed, so nothing was done')
  expect(changes).toEqual([])
  expect(await inTerminal(line, 'a\n')).toContain('Deleted a.')
  expect(changes).toEqual(['DELETE /v2/accounts/a'])
})

test('in a real terminal, lines that were pasted with the command answer nothing, and remain for the shell', async () => {
  const line = (weir: string) =>
    `${weir} stream delete s; read -r rest; echo "the shell reads: $rest"`
  const shown = await inTerminal(line, 'yes\nls -l\n')
  expect(shown).toContain('not confirmed, so nothing was done')
  expect(shown).toContain('the shell reads: ls -l')
  expect(changes).toEqual([])
})
