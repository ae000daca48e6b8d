// The files of a request that concerns many people.
import { expect, test } from '@jest/globals'
import { outcomesFile, peopleMax, readPeople } from '../web/people/many/people-file.ts'

const person = { value: 'ann', reference: '', dueOn: '' }

test.each([
  [
    'commas',
    'value,reference,due\nann,T-1,2026-12-24\n',
    { reference: 'T-1', dueOn: '2026-12-24' },
  ],
  [
    'semicolons',
    'value;reference;due\nann;T-1;2026-12-24\n',
    { reference: 'T-1', dueOn: '2026-12-24' },
  ],
  ['two columns and an empty line', 'value;due\n\nann;2026-12-24\n', { dueOn: '2026-12-24' }],
  ['a byte order mark and lines of Windows', '\uFEFFvalue\r\nann\r\n\r\n', {}],
  ['a day as spreadsheets write it', 'value,due\nann,4.12.2026\n', { dueOn: '2026-12-04' }],
  ['columns in another order, and more of them', 'country,due,value\nfr,,ann\n', {}],
  ['quotes', 'value,reference\n"ann","T ""1"", 2"\n', { reference: 'T "1", 2' }],
])('a list with %s is read', (_, text, more) => {
  expect(readPeople(text)).toEqual({ people: [{ ...person, ...more }], problems: [] })
})

test('spaces of a value are kept: values are compared exactly', () => {
  expect(readPeople('value\n ann \n').people).toEqual([{ ...person, value: ' ann ' }])
})

test.each([
  ['no column value', 'name\nann\n', 'The first line must name the columns'],
  ['nobody', 'value\n', 'The file names nobody.'],
  ['not UTF-8', 'value\nJos\uFFFD\n', 'not UTF-8'],
  ['too many', `value\n${'ann\n'.repeat(peopleMax + 1)}`, 'At most 100 are possible'],
  ['an empty value', 'value,reference\nann,\n,T-1\n', 'Line 3 has no value.'],
  [
    'a person twice',
    'value\nann\n\nbob\nann\n',
    'Line 5 has the same person as line 2: delete one of them.',
  ],
  [
    'a wrong line after a cell of two lines',
    'value,reference\nann,"T-1\r\nof May"\n,T-2\n',
    'Line 4 has no value.',
  ],
  ['a day that is none', 'value,due\nann,2026-02-30\n', 'Line 2 is due on 2026-02-30: write a day'],
  ['a long reference', `value,reference\nann,${'x'.repeat(201)}\n`, 'more than 200 characters'],
])('a list with %s is refused, with the reason', (_, text, problem) => {
  const { problems } = readPeople(text)
  expect(problems).toEqual([expect.stringContaining(problem)])
})

const outcome = {
  stream: 'clicks',
  events: 2,
  outputs: '',
  erasure: 'e-1',
  salt: 's-1',
  problem: '',
}

test('the results are a list of people, too: each is read once, as in the file before', () => {
  const asked = [person, { value: '+41 1', reference: '-7', dueOn: '2026-12-24' }]
  const results = asked.flatMap((one) => [
    { ...one, ...outcome },
    { ...one, ...outcome, stream: 'shop' },
  ])
  expect(readPeople(outcomesFile(results))).toEqual({ people: asked, problems: [] })
})

test('the results have a column for each salt, and no formula', () => {
  const outputs = 'clicks-1: 2; clicks-2: 0'
  expect(outcomesFile([{ ...person, value: '=1+1', ...outcome, outputs }])).toBe(
    '\uFEFFvalue,reference,due,stream,events,outputs,erasure,salt,problem\r\n"\'=1+1",,,clicks,2,clicks-1: 2; clicks-2: 0,e-1,s-1,',
  )
})
