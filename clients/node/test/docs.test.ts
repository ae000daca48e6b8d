// Compares the driver with the error pages: users of the driver get every refusal of an event under its own code.
import { expect, test } from '@jest/globals'
import { documentedStatuses } from '@weir/docs-tools'
import { rejectionCodeOf } from '../src/errors.ts'

/** The driver never sends such a request, or sends the event again. */
const neverMet = [
  'duplicate_header',
  'event_rate_exceeded',
  'internal',
  'method_not_allowed',
  'unavailable',
  'unsupported_encoding',
]

test('every refusal of ingest that users of the driver can meet has its own code there', async () => {
  const codes = Object.keys(await documentedStatuses('ingest'))
  const unknown = codes.filter((code) => rejectionCodeOf(code) === 'refused')
  expect(unknown.toSorted()).toEqual(neverMet)
})
