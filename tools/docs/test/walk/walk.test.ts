import { describe, expect, test } from '@jest/globals'

import { blocksOf, comparable } from '../../src/walk/walk.ts'

describe('blocks', () => {
  const page = [
    '## Before\n```sh\nno\n```\n',
    '## Walk\n```sh\none\n```\n\n```text\n1\n```\ntext\n```sh\ntwo\n```\n```\n$ not run\n```\n',
    '## After\n```sh\nno\n```\n',
  ].join('\n')

  test('are those of the section, each with the output that follows it', () => {
    expect(blocksOf(page, '## Walk')).toEqual([
      { commands: 'one\n', output: '1\n' },
      { commands: 'two\n', output: undefined },
    ])
  })

  test('of a heading that is gone are an error, not an empty walk', () => {
    expect(() => blocksOf(page, '## Gone')).toThrow('there is no heading «## Gone»')
  })
})

describe('output', () => {
  const sealed = 'AY3ui01sKsU5esBEJhAz1WY5B31sxaqvMpUOq0gbP25g'

  test('compares sealed fields, ids and times by their form', () => {
    const other = sealed.replace('3ui0', 'fT0q')
    const line = (id: string, field: string, at: number) =>
      `{"timestamp":${at},"id":"${id}","customer":"${field}"}`
    const first = line('372aed37-60e3-4feb-974c-a9892c9eeabc', sealed, 1_795_229_992_646)
    const second = line('d87a7813-330c-4584-ab5f-5b1ebf59add6', other, 1_795_230_545_707)
    expect(comparable(first)).toEqual(comparable(second))
  })

  test('never takes an open field for a sealed one', () => {
    expect(comparable('"id":"customer-00042"')).not.toEqual(comparable(`"id":"${sealed}"`))
  })

  test('keeps statuses and sentences', () => {
    expect(comparable('HTTP/1.1 204 No Content\r\nDate: now\r\n\r\n')).toEqual([
      'HTTP/1.1 204 No Content',
    ])
  })
})
