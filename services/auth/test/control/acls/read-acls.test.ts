import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import type { Acl } from '@weir/kafka'
import { aclsOf, differenceOf } from '../../../src/control/acls/read-acls.ts'
import type { Scope } from '@weir/control-state'
import {
  credentialRecord,
  derivedStream,
  inputStream,
} from '../../../../../packages/control-state/test/support.ts'

const credentials = [credentialRecord({ scope: ['listen'] })]
const clientId = credentials[0]?.clientId ?? ''
const principal = `User:${clientId}`
const groups: Acl = {
  principal,
  resource: 'group',
  name: clientId,
  pattern: 'prefixed',
  operation: 'read',
}
const topic = (name: string): Acl => ({
  principal,
  resource: 'topic',
  name,
  pattern: 'literal',
  operation: 'read',
})

const output = derivedStream(inputStream(), { credentials })

test("a derived stream's credentials may read its topic, and be in groups that begin with their clientId", () => {
  expect(aclsOf(output)).toEqual([groups, topic('acme.clicks-0')])
})

test('nothing may be read of a stream that is disabled or on its way out', () => {
  expect(aclsOf({ ...output, enabled: false })).toEqual([])
  expect(aclsOf({ ...output, state: 'deleting' })).toEqual([])
})

test('of an input stream, only what was made to listen and for nothing else may read', () => {
  const of = (scope: readonly Scope[]) =>
    aclsOf(inputStream({ credentials: [credentialRecord({ clientId, scope })] }))
  expect(of(['send', 'listen'])).toEqual([])
  expect(of(['send'])).toEqual([])
  expect(of(['listen'])).toEqual([groups, topic('acme.clicks')])
})

test('what is missing is told, except of streams that nobody knows of yet', () => {
  expect(differenceOf([], [output])).toEqual({ stale: [], missing: aclsOf(output) })
  expect(differenceOf([groups], [output]).missing).toEqual([topic('acme.clicks-0')])
  expect(differenceOf(aclsOf(output), [output])).toEqual({ stale: [], missing: [] })
  expect(differenceOf([], [{ ...output, state: 'creating' }])).toEqual({ stale: [], missing: [] })
})

test('what was ours and is no more is stale; what a stream in the making was given is not', () => {
  const found = aclsOf(output)
  expect(differenceOf(found, [])).toEqual({ stale: [principal], missing: [] })
  expect(differenceOf(found, [{ ...output, enabled: false }]).stale).toEqual([principal])
  expect(differenceOf(found, [{ ...output, state: 'creating' }]).stale).toEqual([])
})

test("others' ACLs are left alone, also where their principals are UUIDs", () => {
  const stranger = `User:${randomUUID()}`
  const others: Acl[] = [
    {
      principal: 'User:alice',
      resource: 'group',
      name: 'alice',
      pattern: 'prefixed',
      operation: 'read',
    },
    {
      principal: stranger,
      resource: 'topic',
      name: 'acme.clicks-0',
      pattern: 'literal',
      operation: 'read',
    },
    {
      principal: stranger,
      resource: 'group',
      name: randomUUID(),
      pattern: 'prefixed',
      operation: 'read',
    },
    {
      principal: stranger,
      resource: 'group',
      name: stranger.slice(5),
      pattern: 'literal',
      operation: 'read',
    },
  ]
  expect(differenceOf(others, [])).toEqual({ stale: [], missing: [] })
})
