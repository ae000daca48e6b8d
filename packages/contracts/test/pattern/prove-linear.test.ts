import { expect, test } from '@jest/globals'

import { proveLinear } from '../../src/pattern/prove-linear.ts'

test('accounts take turns, a pattern a turn, and nobody waits for what is known or nothing', async () => {
  const done: string[] = []
  const prove = async (account: string, patterns: readonly string[]): Promise<void> => {
    const linear = await proveLinear(patterns, account)
    done.push(`${account} ${linear.size}`)
  }
  await prove('before', ['^b+$'])
  await Promise.all([
    prove('loud', ['^l1+$', '^l2+$', '(a*)*\\1b', '^l3+$']),
    prove('loud', ['^l4+$', '^l5+$']),
    prove('quiet', ['^q+$']),
    prove('known', ['^b+$']),
    prove('none', []),
  ])
  expect(done.slice(1).toSorted()).toEqual(['known 1', 'loud 2', 'loud 3', 'none 0', 'quiet 1'])
  expect(done.slice(1, 3).toSorted()).toEqual(['known 1', 'none 0'])
  expect(done[3]).toBe('quiet 1')
})
