// Holds the public documents against auth's code: nothing missing, nothing invented.
import { expect, test } from '@jest/globals'
import { documentedStatuses, shownTitles } from '@weir/docs-tools'
import type { ErrorRow } from '@weir/http-api'
import { openApi } from '../../src/api/openapi/document.ts'
import { errorTable } from '../../src/errors.ts'

test('every refusal of auth has a page that says its status, and no page says another', async () => {
  const statuses = Object.entries(errorTable).map(([code, { status }]) => [code, status])
  expect(await documentedStatuses('auth')).toEqual(Object.fromEntries(statuses))
})

test('the answers that pages show have the titles of the table', async () => {
  const titles = Object.entries(errorTable).map(([code, { title }]) => [code, title])
  expect(Object.fromEntries(titles)).toMatchObject(await shownTitles('auth'))
})

test('the operations that a code names are in the OpenAPI document', () => {
  const rows: readonly ErrorRow[] = Object.values(errorTable)
  const ids = JSON.stringify(openApi('0.0.0')).matchAll(/"operationId":"(\w+)/g)
  const known = new Set([...ids].map(([, id]) => id))
  const named = rows.flatMap(({ operations = [] }) => operations)
  expect(named.filter((id) => !known.has(id))).toEqual([])
})
