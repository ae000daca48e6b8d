// The levels that an officer can choose from.
import { expect, test } from '@jest/globals'
import {
  fieldsByLevel,
  levelsIn,
  levelsInWords,
  personalFieldsOf,
  searchFields,
} from '../web/people/levels.ts'
import { levelWordsOf } from '../web/purposes/level-words.ts'

test('every level that an output asks for or a field has is there once, with what it is of', () => {
  const outputs = [
    { name: 'marketing', levels: [2], type: 'CUMULATIVE' },
    { name: 'both', levels: [1, 2], type: 'GRANULAR' },
  ] as const
  const contracts = [
    { levels: new Map([['mail', 1]]) },
    { levels: new Map(Object.entries({ mail: 1, phone: 0 })) },
  ]
  expect(levelsIn(outputs, contracts)).toEqual([
    { level: 0, outputs: [], fields: ['phone'] },
    { level: 1, outputs: ['both'], fields: ['mail'] },
    { level: 2, outputs: ['marketing', 'both'], fields: [] },
  ])
  expect(levelsIn([], [])).toEqual([])
  const unused = { level: 7, outputs: [], fields: [] }
  expect(levelsIn([], [], [7])).toEqual([unused])
})

test('the fields that can be searched are there once, and each contract has those that cannot, and those that are not personal', () => {
  const contract = (
    id: string,
    keyField: string,
    subjectField: string,
    personal: readonly string[],
  ) => ({
    id,
    keyField,
    subjectField,
    levels: new Map(personal.map((path) => [path, 1])),
    schema: { fields: ['page', ...personal].map((name) => ({ name, type: 'string' })) },
  })
  expect(
    searchFields([
      contract('orders', 'session', 'customer', ['customer', 'mail']),
      contract('visits', 'session', '', ['session', 'mail', 'phone']),
    ]),
  ).toEqual({
    naming: ['session', 'customer'],
    contracts: [
      {
        id: 'orders',
        by: ['session', 'customer'],
        not: ['mail'],
        plain: ['page'],
        levels: new Map(Object.entries({ customer: 1, mail: 1 })),
      },
      {
        id: 'visits',
        by: ['session'],
        not: ['mail', 'phone'],
        plain: ['page'],
        levels: new Map(Object.entries({ session: 1, mail: 1, phone: 1 })),
      },
    ],
  })
  const many = Array.from({ length: 20 }, (_, index) => contract('c', `field-${index}`, '', []))
  expect(searchFields(many).naming).toHaveLength(13)
})

test('the levels of an output in words', () => {
  const words = levelWordsOf([{ name: 'marketing', title: 'marketing e-mails', level: 2 }])
  expect(levelsInWords({ levels: [1, 3], type: 'GRANULAR' }, words)).toBe('level 1, 3')
  expect(levelsInWords({ levels: [2], type: 'CUMULATIVE' }, words)).toBe(
    'up to level 2 (marketing e-mails)',
  )
  expect(levelsInWords({ levels: [2], type: 'CUMULATIVE' }, levelWordsOf([]))).toBe('up to level 2')
})

test('personal fields are told with their levels, and with their contracts if they have several levels', () => {
  const words = levelWordsOf([{ name: 'marketing', title: 'marketing e-mails', level: 2 }])
  const contract = (id: string, levels: Readonly<Record<string, number>>) => ({
    id,
    levels: new Map(Object.entries(levels)),
  })
  const orders = contract('orders', { mail: 2, id: 0, phone: 2 })
  const fields = personalFieldsOf([orders, contract('visits', { mail: 2, name: 0 })])
  expect(fieldsByLevel(fields, words)).toBe(
    'id, name of level 0; mail, phone of level 2 (marketing e-mails)',
  )
  const more = personalFieldsOf([contract('views', { mail: 1 }), contract('logins', { mail: 1 })])
  expect(fieldsByLevel([...fields, ...more], words)).toBe(
    'id, name of level 0; mail (views, logins) of level 1; mail (orders, visits), phone of level 2 (marketing e-mails)',
  )
  expect(fieldsByLevel([], words)).toBe('')
})
