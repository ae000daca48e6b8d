// Holds the public documents against output's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { listConfigKeys } from '@weir/kit'
import { documentedSettings, readDocument, rowsUnder, settingsOf } from '@weir/testkit'
import { configSchema } from '../src/config.ts'
import { closing } from '../src/watcher.ts'

test('docs/configuration.md names every setting of output with its default, and no other', async () => {
  expect(await documentedSettings('output')).toEqual(settingsOf(listConfigKeys(configSchema)))
})

test('docs/errors.md names every reason to close a WebSocket, and no other', async () => {
  const rows = rowsUnder(await readDocument('docs/errors.md'), '## WebSocket')
  const documented = rows
    .map(([code = '', reason = '']) => ({ code: Number(code), reason }))
    .filter(({ code }) => code >= 1000)
  expect(documented).toEqual(Object.values(closing))
})
