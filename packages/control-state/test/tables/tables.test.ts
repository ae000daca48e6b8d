import { expect, test } from '@jest/globals'
import { contractKey, streamKey } from '../../src/records/records.ts'
import { createTables } from '../../src/tables/tables.ts'
import {
  accountRecord,
  contractRecord,
  credentialRecord,
  derivedStream,
  inputStream,
} from '../support.ts'

test('a credential is found by its clientId until a later record of its stream leaves it out', () => {
  const tables = createTables()
  const [old, fresh] = [credentialRecord(), credentialRecord()]
  const stream = inputStream({ credentials: [old] })
  tables.apply(streamKey('acme', 'clicks'), stream)
  expect(tables.credential(old.clientId)?.stream).toBe(stream)
  tables.apply(streamKey('acme', 'clicks'), { ...stream, credentials: [fresh] })
  expect(tables.credential(old.clientId)).toBeUndefined()
  expect(tables.credential(fresh.clientId)?.credential).toEqual(fresh)
})

test('a tombstone takes a stream out of every look-up', () => {
  const tables = createTables()
  const credential = credentialRecord()
  const stream = inputStream({ credentials: [credential] })
  tables.apply(streamKey('acme', 'clicks'), stream)
  tables.apply(streamKey('acme', 'clicks'), null)
  expect(tables.stream('acme', 'clicks')).toBeUndefined()
  expect(tables.streamById(stream.streamId)).toBeUndefined()
  expect(tables.credential(credential.clientId)).toBeUndefined()
  expect([...tables.streams()]).toEqual([])
  expect(tables.streamsOf('acme')).toEqual([])
})

test('a name that is made anew is another stream: the id of the old one finds nothing', () => {
  const tables = createTables()
  const [first, second] = [inputStream(), inputStream()]
  tables.apply(streamKey('acme', 'clicks'), first)
  tables.apply(streamKey('acme', 'clicks'), null)
  tables.apply(streamKey('acme', 'clicks'), second)
  expect(tables.streamById(first.streamId)).toBeUndefined()
  expect(tables.streamById(second.streamId)).toBe(second)
})

test('an account is found by each of its API keys, and by none that was dropped', () => {
  const tables = createTables()
  tables.apply('account/acme', accountRecord('acme', ['k1', 'k2']))
  expect(tables.apiKey('k1')?.account.billingId).toBe('acme')
  tables.apply('account/acme', accountRecord('acme', ['k2', 'k3']))
  expect(tables.apiKey('k1')).toBeUndefined()
  expect(tables.apiKey('k3')?.account.billingId).toBe('acme')
})

test('the input of a derived stream is found only while it is the very stream it was linked to', () => {
  const tables = createTables()
  const input = inputStream()
  const derived = derivedStream(input)
  tables.apply(streamKey('acme', 'clicks'), input)
  expect(tables.inputOf(derived)).toBe(input)
  tables.apply(streamKey('acme', 'clicks'), inputStream())
  expect(tables.inputOf(derived)).toBeUndefined()
})

test('contracts of all accounts can be gone through, and clearing forgets everything', () => {
  const tables = createTables()
  tables.apply(contractKey('a', 'x/y/1.0.0'), contractRecord({ billingId: 'a', id: 'x/y/1.0.0' }))
  tables.apply(contractKey('b', 'z'), contractRecord({ billingId: 'b', id: 'z' }))
  tables.apply(streamKey('a', 'clicks'), inputStream({ billingId: 'a' }))
  expect([...tables.contracts()].map(({ id }) => id)).toEqual(['x/y/1.0.0', 'z'])
  expect(tables.contract('a', 'x/y/1.0.0')?.id).toBe('x/y/1.0.0')
  tables.clear()
  expect([...tables.contracts()]).toEqual([])
  expect([...tables.streams()]).toEqual([])
})
