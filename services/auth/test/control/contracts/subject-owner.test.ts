import { expect, test } from '@jest/globals'
import { subjectOwnerIn } from '../../../src/control/contracts/add-contract.ts'

const accounts = ['acme', 'acme-eu', 'bolt']
const claimed = new Map([['acme-old', 'bolt']])
const tables = {
  account: (billingId: string) =>
    accounts.includes(billingId)
      ? ({ type: 'account', billingId, createdAtMs: 0, apiKeys: [] } as const)
      : undefined,
  subjectOwner: (subject: string) => claimed.get(subject),
}

test.each([
  ['a subject that begins with a name', 'acme-orders', 'acme'],
  ['whatever follows it', 'acme.orders', 'acme'],
  ['the name itself', 'bolt', 'bolt'],
  ['of several names the longest', 'acme-eu-orders', 'acme-eu'],
  ['a subject that was used before', 'acme-old', 'bolt'],
  ['a name that goes on', 'acmeorders', undefined],
  ['a name further back', 'orders-acme', undefined],
])('%s: %s', (_case, subject, owner) => {
  expect(subjectOwnerIn(tables, subject)).toBe(owner)
})
