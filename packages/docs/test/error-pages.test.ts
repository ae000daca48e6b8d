// The list of all codes is built only from their pages.
import { expect, test } from '@jest/globals'
import { answersIn, errorTables } from '../src/error-pages.ts'

const pages = new Map([
  ['gone', '# gone\n\nauth 404 · ingest 410\n\nIt is [away](../away.md) | far. It was here.\n'],
  ['asleep', '# asleep\n\nauth 401\n\nNobody answers.\n'],
])

test('the line under the title says who answers a code', () => {
  expect(answersIn(pages.get('gone') ?? '')).toEqual([
    { by: 'auth', status: 404 },
    { by: 'ingest', status: 410 },
  ])
  expect(answersIn('# nobody\n\n')).toEqual([])
})

test('each service has a table of its codes by status, with links and the first sentence', () => {
  const tables = errorTables(pages, (code) => `errors/${code}.md`).split('\n\n## ')
  const rowsOf = (heading: string) =>
    tables.find((table) => table.replace('## ', '').startsWith(heading))?.match(/^\| \d.*$/gm)
  expect(rowsOf('Codes of auth')).toEqual([
    '| 401 | [`asleep`](errors/asleep.md) | Nobody answers. |',
    '| 404 | [`gone`](errors/gone.md) | It is away \\| far. |',
  ])
  expect(rowsOf('Codes of ingest')).toHaveLength(1)
})
