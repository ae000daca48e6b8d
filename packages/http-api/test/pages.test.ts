import { expect, test } from '@jest/globals'
import { listPage } from '../src/pages.ts'
import type { ListOptions } from '../src/pages.ts'

const asking = (query: string) => {
  const parameters = new URLSearchParams(query)
  return { query: (name: string) => parameters.get(name) ?? undefined }
}
const byName: ListOptions<string> = { keyOf: (name) => name }

/** The query of the next page. */
const nextIn = ({ headers }: { headers: Readonly<Record<string, string>> }): string | undefined =>
  /^<\?(.+)>; rel="next"$/.exec(headers['link'] ?? '')?.[1]

function pagesOf(list: readonly string[], query: string, options = byName): (readonly string[])[] {
  const page = listPage(asking(query), list, options)
  const next = nextIn(page)
  return [page.entries, ...(next === undefined ? [] : pagesOf(list, next, options))]
}

test('the pages have each entry once, in the order of the keys, and the last names no other', () => {
  expect(pagesOf(['e', 'b', 'd', 'a', 'ö', 'c'], 'limit=2')).toEqual([
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'ö'],
  ])
  expect(pagesOf([], '')).toEqual([[]])
})

test('without a limit a page has two hundred entries', () => {
  const list = Array.from({ length: 450 }, (_, index) => `s-${1000 + index}`)
  expect(pagesOf(list, '').map(({ length }) => length)).toEqual([200, 200, 50])
})

test('what is created or deleted between two pages changes nothing else', () => {
  const first = listPage(asking('limit=2'), ['a', 'b', 'c', 'd'], byName)
  expect(listPage(asking(nextIn(first) ?? ''), ['a', 'aa', 'd', 'e'], byName).entries).toEqual([
    'd',
    'e',
  ])
})

test('a page of large entries ends early, and has one at least', () => {
  const bytes: Record<string, number> = { a: 100_000, b: 100_000, c: 100_000, d: 900_000, e: 1 }
  const bytesOf = (name: string): number => bytes[name] ?? 0
  expect(pagesOf(Object.keys(bytes), '', { ...byName, bytesOf })).toEqual([
    ['a', 'b'],
    ['c'],
    ['d'],
    ['e'],
  ])
})

test.each([
  ['limit=0', ['limit must be a whole number from 1 to 1000']],
  ['limit=1001', ['limit must be a whole number from 1 to 1000']],
  ['limit=ten', ['limit must be a whole number from 1 to 1000']],
  ['cursor=', ['cursor must be taken from the header Link of the previous page']],
  ['cursor=a%20b', ['cursor must be taken from the header Link of the previous page']],
])('%s is refused', (query, problems) => {
  expect(() => listPage(asking(query), ['a'], byName)).toThrow(
    expect.objectContaining({ code: 'invalid', problems }),
  )
})
