import { expect, test } from '@jest/globals'
import { AppError } from '@weir/kit'
import { createBatch } from '../../src/tables/draft.ts'
import type { Batch, Draft } from '../../src/tables/draft.ts'
import { createTables } from '../../src/tables/tables.ts'
import { given, accountRecord } from '../support.ts'

const keys = new Map([
  ['acme/s/1/link', Buffer.from('old')],
  ['acme/s/1/tree', Buffer.from('old')],
])
const keyStore = {
  get: (key: string) => keys.get(key),
  under: (prefix: string) => [...keys.keys()].filter((key) => key.startsWith(prefix)),
  keys: () => keys.keys(),
}

const attempt = (batch: Batch, id: string, decide: (draft: Draft) => void): void =>
  batch.attempt({ id, what: given, decide })

test('a change sees what the changes before it in the batch have put', () => {
  const batch = createBatch(createTables().store, keyStore, () => 0)
  attempt(batch, '1', (draft) => draft.put('account/acme', accountRecord('acme')))
  let seen: string | undefined
  attempt(batch, '2', (draft) => void (seen = draft.account('acme')?.billingId))
  expect(seen).toBe('acme')
})

test('what a refused change had put is dropped, and the others stand', () => {
  const batch = createBatch(createTables().store, keyStore, () => 0)
  attempt(batch, '1', (draft) => draft.put('account/a', accountRecord('a')))
  const refuse = () =>
    attempt(batch, '2', (draft) => {
      draft.put('account/b', accountRecord('b'))
      draft.keys.put('acme/s/1/link', null)
      throw new AppError('control-state.name_taken', 'no')
    })
  expect(refuse).toThrow(expect.objectContaining({ code: 'control-state.name_taken' }))
  attempt(batch, '3', (draft) => {
    expect(draft.account('b')).toBeUndefined()
    expect(draft.keys.get('acme/s/1/link')?.toString()).toBe('old')
  })
  expect(batch.control.map(({ key, changeId }) => [key, changeId])).toEqual([['account/a', '1']])
  expect(batch.keys).toEqual([])
})

test('key records are read through their puts, tombstones included', () => {
  const batch = createBatch(createTables().store, keyStore, () => 0)
  attempt(batch, '1', (draft) => {
    draft.keys.put('acme/s/1/tree', null)
    draft.keys.put('acme/s/2/link', Buffer.from('new'))
    expect(draft.keys.get('acme/s/1/tree')).toBeUndefined()
    expect(draft.keys.under('acme/s/')).toEqual(['acme/s/1/link', 'acme/s/2/link'])
  })
  expect(batch.keys.map(({ key, value }) => [key, value?.toString() ?? null])).toEqual([
    ['acme/s/1/tree', null],
    ['acme/s/2/link', 'new'],
  ])
})
