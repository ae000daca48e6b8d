// Holds the public documents against ingest's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { AppError, listConfigKeys } from '@weir/kit'
import { documentedRefusals, documentedSettings, settingsOf } from '@weir/testkit'
import { configSchema } from '../src/config.ts'
import { answerOf, refusalCodes, refusalOf } from '../src/errors.ts'

test('docs/configuration.md names every setting of ingest with its default, and no other', async () => {
  expect(await documentedSettings('ingest')).toEqual(settingsOf(listConfigKeys(configSchema)))
})

test('docs/errors.md names every refusal of ingest with its status, and no other', async () => {
  const refusals = refusalCodes.map((code) => ({
    status: answerOf(refusalOf(new AppError(code, ''))).status,
    code,
  }))
  expect(await documentedRefusals('Ingest')).toEqual(refusals)
})
