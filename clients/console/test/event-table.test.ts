// One event side by side: what is marked as encrypted or decrypted, and why a stream does not show it.
import { expect, test } from '@jest/globals'
import type { Output } from '../web/api/account.ts'
import { asCurl } from '../web/live/as-curl.ts'
import { columnsOf, rowsOf } from '../web/live/event-table.ts'
import { matcherOf, noFilter } from '../web/live/filter.ts'
import { levelsInWords } from '../web/live/levels.ts'
import { createLiveStore } from '../web/live/live-store.ts'
import { levelWordsOf } from '../web/purposes/level-words.ts'
import { contract } from './support.ts'

const output = (name: string, levels: number[], type: Output['type'] = 'CUMULATIVE'): Output => ({
  name,
  input: 'clicks',
  enabled: true,
  topic: `acme.${name}`,
  kept: 168,
  levels,
  tags: [],
  type,
  rebuild: '',
  keyMaxAgeSeconds: undefined,
})
const words = levelWordsOf([{ name: 'mail', title: 'marketing e-mails', level: 2 }])
const outputs = [output('low', [0]), output('high', [2]), output('both', [0, 3], 'GRANULAR')]

function seen() {
  const store = createLiveStore()
  const svcMeta = { schemaId: 'clicks', consentLevels: [0, 1] }
  const sealed = { svcMeta, person: { id: 'Asealed', name: null }, page: "it's" }
  store.addInput(JSON.stringify(sealed), 1)
  store.addOutput('low', JSON.stringify({ ...sealed, person: { id: 'Ada', name: null } }))
  const [event] = store.newest()
  if (event === undefined) throw new Error('there is no event')
  return event
}

test('a personal field is sealed where it is as stored, and open where it is not; null is neither', () => {
  const columns = columnsOf(seen(), { input: 'clicks', outputs, words })
  const rows = rowsOf(seen(), columns, contract())
  const marks = (path: string) =>
    rows.find((row) => row.path === path)?.cells.map(({ mark }) => mark)
  expect(marks('person/id')).toEqual(['plain', 'encrypted', 'decrypted', 'plain', 'plain'])
  expect(marks('person/name')).toEqual(Array.from({ length: 5 }, () => 'plain'))
  expect(rows.map(({ path }) => path).at(-1)).toBe('svcMeta/consentLevels')
})

test('a stream that the event does not reach says which consent lacks, by its name', () => {
  const columns = columnsOf(seen(), { input: 'clicks', outputs, words })
  expect(columns.slice(2).map(({ title, under, note }) => [title, under, note])).toEqual([
    ['low', 'decrypts level ≤ 0', undefined],
    ['high', 'decrypts level ≤ 2 (marketing e-mails)', 'consent lacks 2 (marketing e-mails)'],
    ['both', 'decrypts level 0, 3', 'consent lacks 3'],
  ])
})

test.each([
  [output('a', [0]), 'level 0'],
  [output('b', [2]), 'level 2 (marketing e-mails) and below'],
  [output('b', [3]), 'level 3 and below'],
  [output('c', [2], 'GRANULAR'), 'level 2 (marketing e-mails) alone'],
  [output('d', [1, 2, 5], 'GRANULAR'), 'levels 1, 2 (marketing e-mails) and 5 alone'],
])('levels are told in words', (one, told) => {
  expect(levelsInWords(one, words)).toBe(told)
})

test('the curl command holds the most open form, quoted for a shell', () => {
  const command = asCurl(seen(), { input: 'clicks', ingestUrl: 'http://ingest.test' })
  expect(command).toMatch(/^TOKEN=\$\(npx @weir\/cli token clicks\)\n/)
  expect(command).toContain(`curl -i 'http://ingest.test/event'`)
  expect(command).toContain(`"id":"Ada"`)
  expect(command).toContain(`it'\\''s`)
})

test.each([
  [{ ...noFilter, words: 'ADA it' }, true],
  [{ ...noFilter, words: 'ada nobody' }, false],
  [{ ...noFilter, stream: 'low' }, true],
  [{ ...noFilter, stream: 'high' }, false],
  [{ words: '', stream: 'high', wants: 'filtered' as const }, true],
])('the filter %j lets the event through: %s', (filter, isShown) => {
  expect(matcherOf(filter)(seen())).toBe(isShown)
})
