// Holds the public documents against auth's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import { documentedRefusals } from '@weir/docs-tools'
import { errorCodes, refusalOf, statusOf } from '../../src/errors.ts'

test('docs/errors.md names every refusal of auth with its status, and no other', async () => {
  const refusals = errorCodes.map((code) => ({
    status: statusOf(refusalOf(new AppError(code, ''))),
    code,
  }))
  expect(await documentedRefusals('auth')).toEqual(refusals)
})
