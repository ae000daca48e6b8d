// The files of a request that concerns many people.
import { expect, test } from '@jest/globals'
import { outcomesFile, peopleMax, readPeople } from '../web/people/many/people-file.ts'

const person = { value: 'ann', reference: '', dueOn: '' }
const once = (asked: typeof person) => ({ asked, lines: [asked], requested: [] })

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
  ['tabs', 'value\treference\nann\tT-1\n', { reference: 'T-1' }],
  ['semicolons, and commas in values', 'value;due\n"Ng, Ann";\n', { value: 'Ng, Ann' }],
  ['commas, and semicolons in values', 'VALUE,due\nNg; Ann,\n', { value: 'Ng; Ann' }],
  ['names of columns in any case', 'Due;Value;"a,b"\n;ann;\n', {}],
  ['two columns and an empty line', 'value;due\n\nann;2026-12-24\n', { dueOn: '2026-12-24' }],
  ['a byte order mark and lines of Windows', '\uFEFFvalue\r\nann\r\n\r\n', {}],
  ['a day as spreadsheets write it', 'value,due\nann,4.12.2026\n', { dueOn: '2026-12-04' }],
  ['columns in another order, and more of them', 'country,due,value\nfr,,ann\n', {}],
  ['quotes', 'value,reference\n"ann","T ""1"", 2"\n', { reference: 'T "1", 2' }],
])('a list with %s is read', (_, text, more) => {
  const people = [once({ ...person, ...more })]
  expect(readPeople(text)).toEqual({ people, notes: [], problems: [] })
})

const fields = ['customerNo', 'user/id', 'due']

test.each([
  ['customerNo;due\nann;2026-12-24\n', { dueOn: '2026-12-24' }, 'customerNo'],
  ['reference,USER/ID\nT-1,ann\n', { reference: 'T-1' }, 'USER/ID'],
])('a column with the name of a field has the values: %j', (text, more, column) => {
  const notes = [
    `The values are read from the column ${column}. The search compares them with all fields.`,
  ]
  const people = [once({ ...person, ...more })]
  expect(readPeople(text, fields)).toEqual({ people, notes, problems: [] })
})

test('a column value comes first, and two columns with names of fields are none', () => {
  const both = readPeople('customerNo,value\nbob,ann\n', fields)
  expect(both).toEqual({ people: [once(person)], notes: [], problems: [] })
  const { people, problems } = readPeople('customerNo,user/id\nann,a-1\n', fields)
  expect(people).toEqual([])
  expect(problems).toEqual([
    expect.stringContaining('searched, here: customerNo, user/id, due. It is: customerNo, user/id'),
  ])
  expect(readPeople('due\n2026-12-24\n', fields).people).toEqual([])
})

test('spaces of a value are kept: values are compared exactly', () => {
  expect(readPeople('value\n ann \n').people).toEqual([once({ ...person, value: ' ann ' })])
})

test.each([
  ['no column value', 'name;due\nann;\n', 'by which people are searched. It is: name, due'],
  [
    'a person in the first line',
    'ann\nbob\n',
    'The first line must name the columns: value, or value,reference,due. Instead of value, one',
  ],
  ['nothing', '\n', 'by which people are searched. The file is empty.'],
  ['nobody', 'value\n', 'The file names nobody.'],
  ['not UTF-8', 'value\nJos\uFFFD\n', 'not UTF-8'],
  [
    'too many',
    `value\n${Array.from({ length: peopleMax + 1 }, (_, at) => `ann-${at}\n`).join('')}`,
    'At most 100 are possible',
  ],
  ['an empty value', 'value,reference\nann,\n,T-1\n', 'Line 3 has no value.'],
  ['a part of a value in no column', 'value\nNg, Ann\n', 'Line 2 has more columns than the first'],
  [
    'a wrong line after a cell of two lines',
    'value,reference\nann,"T-1\r\nof May"\n,T-2\n',
    'Line 4 has no value.',
  ],
  [
    'a day that is none',
    'value,due\nann,2026-02-30\n',
    'Line 2 is due on 2026-02-30: there is no such day.',
  ],
  [
    'a day that is none, as it is in the file',
    'value,due\nann,31.02.2027\n',
    'is due on 31.02.2027: there',
  ],
  ['a day in words', 'value,due\nann,May 4\n', 'is due on May 4: write a day such as 2026-12-24'],
  [
    'the octets of a workbook',
    'PK\u0003\u0004\u0014\uFFFD',
    'This is an Excel workbook: in Excel, save',
  ],
  ['a long reference', `value,reference\nann,${'x'.repeat(201)}\n`, 'more than 200 characters'],
])('a list with %s is refused, with the reason', (_, text, problem) => {
  const { problems } = readPeople(text)
  expect(problems).toEqual([expect.stringContaining(problem)])
})

test('a person of several lines is read once, and keeps them for the results', () => {
  const { people, notes, problems } = readPeople(
    'value,reference,due\nann,,\nbob,T-2,\nann,T-1,2026-12-24\nbob,T-2,\nann,T-3,2026-12-01\n',
  )
  expect({ notes, problems }).toEqual({
    notes: [
      'Lines 2, 4 and 6 name the same person, who is erased once. The request has their first reference and their earliest due date.',
      'Lines 3 and 5 name the same person, who is erased once.',
    ],
    problems: [],
  })
  expect(people.map(({ asked, lines }) => [asked, lines.length])).toEqual([
    [{ value: 'ann', reference: 'T-1', dueOn: '2026-12-01' }, 3],
    [{ value: 'bob', reference: 'T-2', dueOn: '' }, 2],
  ])
})

const outcome = {
  stream: 'clicks',
  events: 2,
  outputs: '',
  keptUntil: '',
  erasure: '0e0e0e0e-1111-4222-8333-444444444444',
  salt: 's-1',
  problem: '',
}

test('the results are a list of people, too: each is read once, as in the file before', () => {
  const asked = [person, { value: '+41 1', reference: '-7', dueOn: '2026-12-24' }]
  const results = asked.flatMap((one) => [
    { ...one, ...outcome },
    { ...one, ...outcome, stream: 'shop' },
  ])
  const requested = ['clicks', 'shop'].map((stream) => ({ stream, id: outcome.erasure }))
  const people = asked.map((one) => ({ ...once(one), requested }))
  expect(readPeople(outcomesFile(results))).toEqual({ people, notes: [], problems: [] })
})

test('a request of the results has an id that is safe in an address', () => {
  const [read] = readPeople(outcomesFile([{ ...person, ...outcome, erasure: '../../keys' }])).people
  expect(read?.requested).toEqual([])
})

test('the results have a column for each salt, and no formula', () => {
  const outputs = 'clicks-1: 2; clicks-2: 0'
  expect(
    outcomesFile([{ ...person, value: '=1+1', ...outcome, outputs, keptUntil: '2026-12-27' }]),
  ).toBe(
    '\uFEFFvalue,reference,due,stream,events,outputs,outputs_keep_until,erasure,salt,problem\r\n"\'=1+1",,,clicks,2,clicks-1: 2; clicks-2: 0,2026-12-27,0e0e0e0e-1111-4222-8333-444444444444,s-1,',
  )
})
