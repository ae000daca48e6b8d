import { expect, test } from '@jest/globals'
import { apiPageOf, openApiOf, schema } from '../src/index.ts'
import type { Api } from '../src/index.ts'

const api: Api = {
  title: 'Shop',
  says: 'Sells <things>.',
  version: '1',
  groups: { things: 'What is sold' },
  operations: [
    {
      id: 'buy',
      group: 'things',
      method: 'POST',
      path: '/things/:thing',
      says: 'Buys one',
      who: ['key'],
      body: { content: schema.json(schema.ref('Order')) },
      answers: [{ status: 204, says: 'Bought' }],
      refusals: ['gone', 'sold_out'],
    },
  ],
  pathParameters: { thing: { name: 'thing', says: 'its name', schema: schema.text } },
  schemas: { Order: { type: 'object' }, Problem: { type: 'object' } },
  security: { key: { type: 'http', scheme: 'bearer' } },
  statusOf: () => 409,
  refusalForm: schema.problemForm,
}

test('an operation tells what it takes, what it answers, and the codes of its refusals', () => {
  const { paths, components } = openApiOf(api)
  expect(paths).toMatchObject({
    '/things/{thing}': {
      post: {
        parameters: [{ name: 'thing', in: 'path', required: true }],
        responses: {
          204: { description: 'Bought' },
          409: { $ref: '#/components/responses/Problem.409.gone-sold_out' },
        },
      },
    },
  })
  expect(JSON.stringify(components)).toContain('{"enum":["gone","sold_out"]}')
})

test('the page shows every operation without a script, and links each code to its page', () => {
  const page = apiPageOf({
    document: openApiOf(api),
    styleHref: '/style.css',
    home: { href: '/', text: 'Shop' },
    pageOfCode: (code) => `/errors/${code}`,
  })
  expect(page).toContain('<code>/things/{thing}</code> Buys one')
  expect(page).toContain('<a href="/errors/sold_out">sold_out</a>')
  expect(page).toContain('Sells &lt;things&gt;.')
  expect(page).not.toMatch(/<script|style=|onclick/)
})
