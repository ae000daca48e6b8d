import { describe, expect, test } from '@jest/globals'
import { renderDetails, renderTable } from '../../src/terminal/table.ts'

describe('a table', () => {
  test('aligns its columns and leaves no blanks at the ends of lines', () => {
    const text = renderTable(
      ['NAME', 'ENABLED', 'TAGS'],
      [
        ['clicks', true, ['web', 'eu']],
        ['a-long-name', false, []],
      ],
    )
    expect(text.split('\n')).toEqual([
      'NAME         ENABLED  TAGS',
      'clicks       yes      web, eu',
      'a-long-name  no       -',
    ])
  })

  test('shows what is missing as a dash', () => {
    expect(renderTable(['A', 'B'], [[undefined, null]])).toBe('A  B\n-  -')
  })

  test('never lets a value steer the terminal', () => {
    const text = renderTable(['TAG'], [['\u001b[2J\u009b1A\r\n\u202e']])
    expect(text).toBe('TAG\n\\u001b[2J\\u009b1A\\u000d\\u000a\\u202e')
  })
})

describe('the details of a record', () => {
  test('names nested members by their path, and one set of credentials without a number', () => {
    const text = renderDetails({
      ref: { billingId: 'acme', name: 'clicks' },
      enabled: true,
      tags: [],
      credentials: [{ clientId: 'c', clientSecret: 's' }],
    })
    expect(text.split('\n')).toEqual([
      'ref.billingId             acme',
      'ref.name                  clicks',
      'enabled                   yes',
      'tags                      -',
      'credentials.clientId      c',
      'credentials.clientSecret  s',
    ])
  })

  test('number several credentials', () => {
    const text = renderDetails({ credentials: [{ clientId: 'a' }, { clientId: 'b' }] })
    expect(text).toBe('credentials.1.clientId  a\ncredentials.2.clientId  b')
  })
})
