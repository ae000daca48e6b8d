// The driver must know the code of every refusal of an event in the error pages.
import { expect, test } from '@jest/globals'
import { documentedStatuses } from '@weir/docs-tools'
import { rejectionCodeOf } from '../src/errors.ts'

/** The driver never causes these refusals, or it sends the events again. */
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
