// Holds the public documents against output's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { documentedRefusals, readDocument, rowsUnder } from '@weir/docs-tools'
import { errorTable } from '../../src/errors.ts'
import { closing } from '../../src/websocket/watcher.ts'

test('docs/errors.md names every refusal of output with its status, and no other', async () => {
  const refusals = Object.entries(errorTable).map(([code, { status }]) => ({ status, code }))
  expect(await documentedRefusals('output')).toEqual(refusals)
})

test('docs/errors.md names every reason to close a WebSocket, and no other', async () => {
  const rows = rowsUnder(await readDocument('docs/errors.md'), '## WebSocket')
  const documented = rows
    .map(([code = '', reason = '']) => ({ code: Number(code), reason }))
    .filter(({ code }) => code >= 1000)
  expect(documented).toEqual(Object.values(closing))
})
