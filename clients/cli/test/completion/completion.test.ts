// Completion, as a shell requests it. For real shells: against-services/completion.ts.
import { createServer } from 'node:http'
import { expect, test } from '@jest/globals'
import { kindAt } from '../../src/completion/live-names.ts'
import { completionPlaceOf } from '../../src/completion/place.ts'
import { createProgram } from '../../src/program.ts'
import type { Terminal } from '../../src/terminal/terminal.ts'
import { quietTerminal } from '../support/quiet-terminal.ts'
import { createWeir } from '../support/weir.ts'
import { Readable } from 'node:stream'

const terminal: Terminal = {
  ...quietTerminal,
  env: {},
  cwd: '/',
  input: Readable.from([]),
  print: () => true,
  note: () => undefined,
}
const program = createProgram(terminal)
const at = (line: string) => completionPlaceOf(program, line.split(' '))

test.each([
  ['', ['stream', 'export', 'doctor', 'completion'], undefined],
  ['stream ', ['create', 'list', 'show', 'delete'], undefined],
  ['output dead ', ['list', 'retry'], undefined],
  ['stream delete --', ['--recursive', '--yes', '--output', '--demo', '--help'], undefined],
  ['-o ', [], 'output'],
  ['stream list -o ', ['table', 'json'], 'output'],
  ['usage -o ', ['csv'], 'output'],
  ['completion ', ['bash', 'zsh', 'fish'], 'shell'],
  ['output create a b --type ', ['CUMULATIVE', 'GRANULAR'], 'type'],
  ['stream delete ', [], 'name'],
  ['stream delete --yes ', [], 'name'],
  ['-o json output show ', [], 'input'],
  ['output show clicks ', [], 'name'],
  ['send clicks --schema ', [], 'schema'],
  ['export clicks-1 ', [], 'file'],
  ['stream show clicks ', [], undefined],
])('after `weir %s` comes one of %j', (line, words, expects) => {
  const place = at(line)
  expect(place.words).toEqual(expect.arrayContaining(words))
  expect(place.expects).toBe(expects)
  expect(place.words).not.toContain('complete')
})

test.each([
  ['stream show ', 'inputs'],
  ['stream create ', undefined],
  ['output create ', 'inputs'],
  ['output create clicks ', undefined],
  ['output delete clicks ', 'outputs'],
  ['output dead list clicks ', 'outputs'],
  ['listen ', 'streams'],
  ['credentials revoke ', 'streams'],
  ['export clicks-1 x --schema ', 'contracts'],
  ['contract archive ', 'contracts'],
  ['account use ', 'accounts'],
])('`weir %s` is completed with %s', (line, kind) => {
  expect(kindAt(at(line))).toBe(kind)
})

test('a service that does not answer is waited for a moment, and nothing is said of it', async () => {
  const silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  const address = silent.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const env = { WEIR_AUTH_URL: `http://127.0.0.1:${port}`, WEIR_API_KEY: 'k', WEIR_BILLING_ID: 'a' }
  try {
    const ended = await createWeir().run('complete -- stream show c', { env })
    expect(ended).toMatchObject({ code: 0, stdout: '', stderr: '' })
  } finally {
    silent.closeAllConnections()
    silent.close()
  }
})
