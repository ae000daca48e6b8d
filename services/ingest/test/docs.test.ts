// Compares the public documents with ingest's code: they describe everything, and nothing else.
import { expect, test } from '@jest/globals'
import { documentedStatuses } from '@weir/docs-tools'
import { refusalCodes, statusOf } from '../src/errors.ts'

test('every refusal of ingest has a page that says its status, and no page says another', async () => {
  const statuses = Object.fromEntries(refusalCodes.map((code) => [code, statusOf(code)]))
  expect(await documentedStatuses('ingest')).toEqual(statuses)
})
