import { expect, test } from '@jest/globals'

import { isContractId, parseSchemaRef } from '../src/index.ts'

test.each(['clickstream', 'demo_v1', 'a', 'a.b-c', 'demo/event/1.0.0', 'o/n/0.0.1-rc.1+build.5'])(
  '%s is a contract id',
  (id) => expect(isContractId(id)).toBe(true),
)

test.each([
  '',
  ' a',
  'a b',
  '-a',
  'a/b',
  'a/b/1',
  'a/b/1.0',
  'a/b/01.0.0',
  'a/b/1.0.0/c',
  '/b/1.0.0',
  'a//1.0.0',
  'a/b/1.0.0\n',
  'ä',
  'a'.repeat(250),
])('%j is no contract id', (id) => expect(isContractId(id)).toBe(false))

test.each([
  ['catalog-clickstream/latest', 'catalog-clickstream', 'latest'],
  ['catalog-demo_v1/3', 'catalog-demo_v1', '3'],
  ['catalog-partner_nps_unified_v1/latest', 'catalog-partner_nps_unified_v1', 'latest'],
  ['c-a-b.c/12', 'c-a-b.c', '12'],
])('%s names a subject and a version', (ref, subject, version) => {
  expect(parseSchemaRef(ref)).toEqual({ subject, version })
})

test.each([
  '',
  'clickstream/latest',
  'catalog-clickstream',
  'catalog-clickstream/',
  'catalog-clickstream/newest',
  'catalog-clickstream/0',
  'catalog-clickstream/1/2',
  '-clickstream/1',
  'catalog-/1',
  'catalog-a b/1',
])('%j is no schema ref', (ref) => expect(parseSchemaRef(ref)).toBeUndefined())
