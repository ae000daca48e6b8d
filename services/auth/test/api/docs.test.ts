// Holds the public documents against auth's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { documentedRefusals } from '@weir/docs-tools'
import { errorTable } from '../../src/errors.ts'

test('docs/errors.md names every refusal of auth with its status, and no other', async () => {
  const refusals = Object.entries(errorTable).map(([code, { status }]) => ({ status, code }))
  expect(await documentedRefusals('auth')).toEqual(refusals)
})
