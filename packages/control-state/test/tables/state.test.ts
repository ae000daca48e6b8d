import { expect, test } from '@jest/globals'
import { contractKey, streamKey, subjectKey } from '../../src/records/records.ts'
import { folderOf, overlay, stateOver } from '../../src/tables/state.ts'
import { createTables } from '../../src/tables/tables.ts'
import { accountRecord, contractRecord, derivedStream, inputStream } from '../support.ts'

test('a key lies in the folder of its type and account, whatever slashes its name has', () => {
  expect(folderOf('account/acme')).toBe('account/')
  expect(folderOf('subject/catalog-click')).toBe('subject/')
  expect(folderOf('signing/kid')).toBe('signing/')
  expect(folderOf(streamKey('acme', 'clicks'))).toBe('stream/acme/')
  expect(folderOf(contractKey('acme', 'demo/click/1.0.0'))).toBe('contract/acme/')
})

test('an account never sees streams of an account whose name begins like its own', () => {
  const tables = createTables()
  tables.apply(streamKey('acme', 'clicks'), inputStream({ billingId: 'acme' }))
  tables.apply(streamKey('acme-2', 'clicks'), inputStream({ billingId: 'acme-2' }))
  expect(tables.streamsOf('acme').map(({ billingId }) => billingId)).toEqual(['acme'])
})

test('streams are listed by name, and the outputs of a stream are those linked to its id', () => {
  const input = inputStream()
  const stale = derivedStream(input, { name: 'a-stale', linkedStreamId: 'an earlier clicks' })
  const tables = createTables()
  for (const stream of [derivedStream(input, { name: 'b' }), input, stale])
    tables.apply(streamKey('acme', stream.name), stream)
  expect(tables.streamsOf('acme').map(({ name }) => name)).toEqual(['a-stale', 'b', 'clicks'])
  expect(tables.outputsOf(input).map(({ name }) => name)).toEqual(['b'])
})

test('a subject belongs to the account that its record names', () => {
  const tables = createTables()
  tables.apply(subjectKey('catalog-click'), {
    type: 'subject-owner',
    subject: 'catalog-click',
    ownerBillingId: 'acme',
  })
  expect(tables.subjectOwner('catalog-click')).toBe('acme')
  expect(tables.subjectOwner('catalog-other')).toBeUndefined()
})

test('an overlay shows its own records, hides what it took away, and leaves the base as it is', () => {
  const base = createTables()
  base.apply(streamKey('acme', 'kept'), inputStream({ name: 'kept' }))
  base.apply(streamKey('acme', 'gone'), inputStream({ name: 'gone' }))
  const laid = overlay(base.store)
  laid.put(streamKey('acme', 'gone'), null)
  laid.put(streamKey('acme', 'new'), inputStream({ name: 'new' }))
  laid.put(streamKey('acme', 'kept'), inputStream({ name: 'kept', enabled: false }))
  laid.put(contractKey('acme', 'x'), contractRecord({ id: 'x' }))
  const state = stateOver(laid)
  expect(state.streamsOf('acme').map(({ name }) => name)).toEqual(['kept', 'new'])
  expect(state.stream('acme', 'kept')?.enabled).toBe(false)
  expect(state.stream('acme', 'gone')).toBeUndefined()
  expect(base.streamsOf('acme').map(({ name }) => name)).toEqual(['gone', 'kept'])
})

test('an overlay on an overlay sees through both', () => {
  const base = createTables()
  base.apply('account/a', accountRecord('a'))
  const lower = overlay(base.store)
  lower.put('account/a', null)
  lower.put('account/b', accountRecord('b'))
  const upper = overlay(lower)
  upper.put('account/c', accountRecord('c'))
  const state = stateOver(upper)
  expect(['a', 'b', 'c'].map((id) => state.account(id)?.billingId)).toEqual([undefined, 'b', 'c'])
  upper.put('account/b', null)
  expect(state.account('b')).toBeUndefined()
  expect(stateOver(lower).account('b')?.billingId).toBe('b')
})
