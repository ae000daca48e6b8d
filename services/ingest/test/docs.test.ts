// Holds the public documents against ingest's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { documentedRefusals } from '@weir/docs-tools'
import { refusalCodes, statusOf } from '../src/errors.ts'

test('docs/errors.md names every refusal of ingest with its status, and no other', async () => {
  const refusals = refusalCodes.map((code) => ({
    status: statusOf(code),
    code,
  }))
  expect(await documentedRefusals('Ingest')).toEqual(refusals)
})
