// `weir erasure receipts` with a server that responds like auth.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { run } from '../../../src/program.ts'
import type { Terminal } from '../../../src/terminal/terminal.ts'
import { quietTerminal } from '../../support/quiet-terminal.ts'
import { temporaryFolder } from '../../support/temporary.ts'

const complete = { states: { complete: { at: '2026-11-22T10:00:00.000Z' } } }
const answers: Readonly<Record<string, unknown>> = {
  '/v2/streams': [{ ref: { name: 'clicks' } }, { ref: { name: 'shop' } }],
  '/v2/streams/clicks/erasures': [
    { id: 'e-1', reference: '../T/7', ...complete },
    { id: 'e-2', reference: 'T-8', states: { complete: { expectedBy: 'unknown' } } },
  ],
  '/v2/streams/shop/erasures': [
    { id: 'e-3', reference: '../T/7', ...complete },
    { id: 'e-4', ...complete },
  ],
}

let server: Server
let url: string
let refused = ''
const asked: string[] = []

beforeAll(async () => {
  server = createServer(({ url: path = '' }, response) => {
    asked.push(path)
    const receipt = /\/erasures\/(e-\d)\/receipt$/.exec(path)?.[1]
    response.writeHead(receipt === refused ? 429 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answers[path] ?? { receipt: `receipt.of.${receipt}` }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
})
beforeEach(() => {
  refused = ''
  asked.splice(0)
})
afterAll(() => void server.close())

async function weir(cwd: string, line: string) {
  const [out, notes]: [string[], string[]] = [[], []]
  const terminal: Terminal = {
    ...quietTerminal,
    env: { WEIR_CONFIG: `${cwd}/config.json`, WEIR_AUTH_URL: url, WEIR_API_KEY: 'k' },
    cwd,
    input: Readable.from([]),
    print: (text) => out.push(text) > 0,
    note: (text) => void notes.push(text),
  }
  const code = await run(terminal, line.split(' '))
  return { code, out: out.join('\n'), notes: notes.join('\n') }
}

const saved = (folder: string) =>
  readdirSync(folder)
    .toSorted()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')])

test('saves a file for each receipt of all streams, and says what has none', async () => {
  const cwd = temporaryFolder()
  const { code, out, notes } = await weir(cwd, 'erasure receipts kept/here')
  expect([code, saved(join(cwd, 'kept/here'))]).toEqual([
    0,
    [
      ['T-7-receipt-e-1.jws', 'receipt.of.e-1\n'],
      ['T-7-receipt-e-3.jws', 'receipt.of.e-3\n'],
      ['receipt-e-4.jws', 'receipt.of.e-4\n'],
    ],
  ])
  expect(out).toMatch(/^e-2 +clicks +not complete/m)
  expect(notes).toContain('Receipts: 3 saved, 0 saved before. Not complete: 1 of 4.')
})

test('replaces no file, and asks for no receipt that is there', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'receipt-e-4.jws'), 'mine')
  const { out, notes } = await weir(cwd, 'erasure receipts . shop')
  expect(readFileSync(join(cwd, 'receipt-e-4.jws'), 'utf8')).toBe('mine')
  expect(out).toMatch(/^e-4 +shop +exists already +receipt-e-4\.jws/m)
  expect(notes).toContain('Receipts: 1 saved, 1 saved before.')
  expect(asked).toEqual(['/v2/streams/shop/erasures', '/v2/streams/shop/erasures/e-3/receipt'])
})

test('after a refusal it says what is saved, and the next run saves the others', async () => {
  const cwd = temporaryFolder()
  refused = 'e-3'
  const failed = await weir(cwd, 'erasure receipts kept')
  expect([failed.code, failed.out]).toEqual([1, ''])
  expect(failed.notes).toContain(
    'Receipts: 1 saved, 0 saved before. Run the command again for the others.',
  )
  refused = ''
  expect(JSON.parse((await weir(cwd, 'erasure receipts kept -o json')).out)).toEqual([
    {
      erasure: 'e-1',
      stream: 'clicks',
      reference: '../T/7',
      file: 'T-7-receipt-e-1.jws',
      result: 'exists already',
    },
    { erasure: 'e-2', stream: 'clicks', reference: 'T-8', result: 'not complete' },
    {
      erasure: 'e-3',
      stream: 'shop',
      reference: '../T/7',
      file: 'T-7-receipt-e-3.jws',
      result: 'saved',
    },
    { erasure: 'e-4', stream: 'shop', file: 'receipt-e-4.jws', result: 'saved' },
  ])
})

test('a file that a crash has cut does not count as saved', async () => {
  const cwd = temporaryFolder()
  writeFileSync(join(cwd, 'receipt-e-4.jws.tmp'), 'receipt.o')
  const { notes } = await weir(cwd, 'erasure receipts . shop')
  expect(notes).toContain('Receipts: 2 saved, 0 saved before.')
  expect(saved(cwd)).toEqual([
    ['T-7-receipt-e-3.jws', 'receipt.of.e-3\n'],
    ['receipt-e-4.jws', 'receipt.of.e-4\n'],
  ])
})

test('an erasure is found by its reference, unless several have it', async () => {
  const cwd = temporaryFolder()
  const receipt = await weir(cwd, 'erasure receipt T-8')
  expect(receipt).toMatchObject({ code: 0, out: 'receipt.of.e-2' })
  expect(await weir(cwd, 'erasure receipt ../T/7')).toMatchObject({
    code: 2,
    notes: expect.stringMatching(
      /^weir: 2 erasures have the reference \.\.\/T\/7; give the id of one\n {2}e-1 of clicks\n {2}e-3 of shop/,
    ),
  })
})

test('an empty file is no receipt, and it says so', async () => {
  const cwd = temporaryFolder()
  const file = join(cwd, 'empty.jws')
  writeFileSync(file, '\n')
  const { code, notes } = await weir(cwd, `erasure verify ${file}`)
  expect([code, notes]).toEqual([1, expect.stringContaining(`weir: ${file} is empty\n`)])
})
