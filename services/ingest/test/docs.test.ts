// Holds the public documents against ingest's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import { documentedRefusals } from '@weir/docs-tools'
import { refusalCodes, refusalOf, statusOf } from '../src/errors.ts'

test('docs/errors.md names every refusal of ingest with its status, and no other', async () => {
  const refusals = refusalCodes.map((code) => ({
    status: statusOf(refusalOf(new AppError(code, '')).code),
    code,
  }))
  expect(await documentedRefusals('Ingest')).toEqual(refusals)
})
