// What `weir account show` prints for people.
import { expect, test } from '@jest/globals'
import { renderAccount } from '../../../src/commands/access/account.ts'

test('quotas are a table, and one that limits nothing says so', () => {
  const quotas = {
    streams: { used: 3, max: 100 },
    lookUps: { max: 2 },
    eventRate: { max: 999_999_999_999_999 },
  }
  expect(renderAccount({ billingId: 'acme', streams: 3, quotas })).toBe(
    [
      'billingId  acme',
      'streams    3',
      '',
      'QUOTA      USED  MAX',
      'streams    3     100',
      'lookUps    -     2',
      'eventRate  -     no limit',
    ].join('\n'),
  )
})
