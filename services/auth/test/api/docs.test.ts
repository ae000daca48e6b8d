// Compares the public documents with auth's code: they have all codes and operations, and no others.
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

const document = JSON.stringify(openApi('0.0.0'))

test('the OpenAPI document has each code with an operation that answers it', () => {
  const refusals = document.matchAll(/"Refused: ([\w, ]+)"/g)
  const told = new Set([...refusals].flatMap(([, codes = '']) => codes.split(', ')))
  // OpenAPI can't describe methods that a path doesn't have.
  told.add('method_not_allowed')
  expect([...told].sort()).toEqual(Object.keys(errorTable).sort())
})

test('the OpenAPI document has each operation that a code names', () => {
  const rows: readonly ErrorRow[] = Object.values(errorTable)
  const ids = new Set([...document.matchAll(/"operationId":"(\w+)/g)].map(([, id]) => id))
  const named = rows.flatMap(({ operations = [] }) => operations)
  expect(named.filter((id) => !ids.has(id))).toEqual([])
})
