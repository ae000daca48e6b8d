// A service's documentation: one document for programs, and pages without scripts for people.
import { expect, test } from '@jest/globals'
import { openApiOf } from '@weir/docs'
import { showApi, showOpenApi, showStyle } from '../src/index.ts'
import type { Call, RouteHandler } from '../src/index.ts'
import { pageOf } from './tables.ts'

const openApi = openApiOf({
  title: 'Shop',
  says: 'Sells things.',
  version: '1',
  groups: { things: 'What is sold' },
  operations: [
    {
      id: 'buy',
      group: 'things',
      method: 'POST',
      path: '/things',
      says: 'Buys one',
      who: [],
      answers: [{ status: 204, says: 'Bought' }],
      refusals: ['sold_out'],
    },
  ],
  pathParameters: {},
  schemas: {},
  security: {},
  statusOf: () => 409,
  refusalForm: () => ({}),
})

/** The documents don't depend on the call. */
const told = async (handler: RouteHandler) => handler({} as Call)

test('programs get the document itself', async () => {
  expect(await told(showOpenApi({ openApi }))).toMatchObject({ status: 200, body: openApi })
})

test('people get its operations, with links to the pages of codes, and nothing that runs', async () => {
  const { headers, body } = await told(showApi({ title: 'Shop', openApi, pageOf }))
  expect(body).toContain('<details id="buy">')
  expect(body).toContain('href="https://docs.test/errors/sold_out"')
  expect(headers?.['content-security-policy']).toMatch(/^default-src 'none'/)
  expect((await told(showStyle)).headers?.['content-type']).toBe('text/css; charset=utf-8')
})
