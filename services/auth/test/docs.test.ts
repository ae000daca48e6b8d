// Holds the public documents against auth's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { AppError, listConfigKeys } from '@weir/kit'
import { documentedRefusals, documentedSettings, settingsOf } from '@weir/testkit'
import { configSchema } from '../src/config.ts'
import { errorCodes, refusalOf, statusOf } from '../src/errors.ts'

test('docs/configuration.md names every setting of auth with its default, and no other', async () => {
  expect(await documentedSettings('auth')).toEqual(settingsOf(listConfigKeys(configSchema)))
})

test('docs/errors.md names every refusal of auth with its status, and no other', async () => {
  const refusals = errorCodes.map((code) => ({
    status: statusOf(refusalOf(new AppError(code, ''))),
    code,
  }))
  expect(await documentedRefusals('auth')).toEqual(refusals)
})
