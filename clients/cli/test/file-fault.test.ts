// The messages about a file that can't be read or written.
import { expect, test } from '@jest/globals'
import { openOutput } from '../src/export/output-file.ts'
import { quietTerminal } from './support/quiet-terminal.ts'
import { createWeir } from './support/weir.ts'

const env = { WEIR_API_KEY: 'k', WEIR_AUTH_URL: 'http://127.0.0.1:1' }

test.each([
  ['contract create -f none.json', 2, 'weir: none.json does not exist\n'],
  ['contract create -f /', 2, 'weir: / is a folder\n'],
  ['subject erase s -f none.txt', 2, 'weir: none.txt does not exist\n'],
  ['account list', 1, 'weir: the profile / is a folder\n'],
])('`weir %s`', async (line, code, stderr) => {
  const { run } = createWeir({ isHere: true })
  const profile = line.startsWith('account') ? { WEIR_CONFIG: '/' } : {}
  expect(await run(line, { env: { ...env, ...profile } })).toMatchObject({ code, stderr })
})

test.each(['events.xlsx', 'events'])('the ending of %s is no format', async (file) => {
  const { run } = createWeir({ isHere: true })
  const { code, stderr } = await run(`export s ${file}`, { env })
  expect([code, stderr]).toEqual([
    2,
    expect.stringMatching(/^weir: the format of \S+ is not clear\n  Name it \.parquet, /),
  ])
})

test('a folder is not written to, and an ending may be in capitals', async () => {
  await expect(openOutput({ ...quietTerminal, print: () => true }, '.')).rejects.toThrow(
    /^\. is a folder$/,
  )
  const { run } = createWeir({ isHere: true })
  expect(await run('export s EVENTS.CSV -o jsonl', { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('-o is jsonl, but EVENTS.CSV is named csv'),
  })
})
