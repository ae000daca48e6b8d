// What an erasure covers, according to its receipt.
import { beforeEach, expect, test } from '@jest/globals'
import { erasureKey, partOf, restoreKey } from '@weir/control-state'
import type { ErasureRecord, ErasureTerm, InputStream } from '@weir/control-state'
import { addContract } from '../../../src/control/contracts/add-contract.ts'
import { incompleteSince } from '../../../src/control/erasure/lost-windows.ts'
import { keepReceiptKey, receiptFor } from '../../../src/control/erasure/receipts.ts'
import { createDerived } from '../../../src/control/streams/create-stream.ts'
import { setPurposes } from '../../../src/control/purposes.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'
import { makeClicks } from '../support-scene.ts'
import { erasureRecord } from './erasure-record.ts'

let memory: Memory
let stream: InputStream
beforeEach(async () => {
  memory = memoryControl()
  await publish('named', { keyField: 'session', dataSubjectField: 'customer/id' })
  await publish('unnamed', { keyField: 'key' })
  stream = await makeClicks(memory)
  await keepReceiptKey(memory.deps)
})

async function publish(
  id: string,
  fields: { keyField: string; dataSubjectField?: string },
): Promise<void> {
  const prepared = { id, schemaText: '{}', validations: [], piiFields: {}, ...fields }
  const registered = { registryId: 1, registryVersion: 1, subject: id }
  await addContract(memory.deps, {
    billingId: 'acme',
    prepared,
    schemaRegistryRef: `${id}/latest`,
    ...registered,
  })
}

async function receiptOf(
  as: ErasureTerm,
  more: Partial<ErasureRecord> = {},
): Promise<Record<string, unknown>> {
  const { deps } = memory
  const nowMs = deps.now()
  const { streamId } = stream
  const scan = { scannedAtMs: nowMs, scannedTo: '9', leader: 1 }
  const complete = { appliedAtMs: nowMs, complete: { ...scan, atMs: nowMs } }
  const record = erasureRecord({ as: [as], streamId, acceptedAtMs: nowMs, ...complete, ...more })
  const { erasureId } = record
  await deps.writer.change(partOf('erasure.applied'), (draft) =>
    draft.put(erasureKey(streamId, erasureId), record),
  )
  memory.passTime(1_000)
  await publish(`later-${as}`, { keyField: 'key', dataSubjectField: 'customer' })
  const outputs = async () => []
  const names = { billingId: 'acme', name: 'clicks', erasureId }
  const receipt = await receiptFor(deps, { ...names, issuer: 'https://auth.test', outputs })
  return JSON.parse(Buffer.from(receipt.split('.')[1] ?? '', 'base64url').toString())
}

test('that of a data subject names the contracts by which it was found, and those that name none', async () => {
  expect(await receiptOf('data_subject_field')).toMatchObject({
    stream: 'clicks',
    as: ['data_subject_field'],
    contracts: [{ id: 'named', field: 'customer/id' }],
    otherContracts: ['unnamed'],
  })
})

test('that of a value of the key field names the key field of each contract', async () => {
  expect(await receiptOf('key_field')).toMatchObject({
    as: ['key_field'],
    contracts: [
      { id: 'named', field: 'session' },
      { id: 'unnamed', field: 'key' },
    ],
    otherContracts: [],
  })
})

test('outputs whose readers decrypt are named, with what was found there', async () => {
  const { deps } = memory
  await createDerived(deps, {
    billingId: 'acme',
    name: 'lake',
    linkedStream: 'clicks',
    tags: ['agency'],
    consentLevels: [0],
    consentLevelType: 'CUMULATIVE',
    decrypterName: 'default',
    from: 'earliest',
    keyMaxAgeSeconds: 300,
  })
  const outputs = [{ name: 'lake', events: 28, levels: [] }]
  const found = { values: 1, events: 3, by: [], searchedAtMs: deps.now(), outputs }
  expect(await receiptOf('key_field', { found })).toMatchObject({
    claim: expect.stringContaining(
      'Readers of the outputs in readers decrypt with keys that Weir lends them',
    ),
    readers: [{ name: 'lake', tags: ['agency'], levels: [0], events: 28, keyMaxAgeSeconds: 300 }],
  })
})

test('the claim of a withdrawal, too, speaks of a search before the request', async () => {
  const found = { values: 1, events: 3, by: [], searchedAtMs: 0, notSearched: '2 are old' }
  const receipt = await receiptOf('key_field', {
    isWithdrawal: true,
    found: { ...found, outputs: [{ name: 'clicks-1', events: 3, levels: [] }] },
  })
  expect(receipt['claim']).toMatch(
    /Before this request a search of the stream found 3 events with 1 of these values\.$/,
  )
  const { searchedAtMs: _, ...shown } = found
  expect(receipt['found']).toEqual({ ...shown, searchedAt: '1970-01-01T00:00:00.000Z' })
  expect(receipt).not.toHaveProperty('purposes')
  const nothing = await receiptOf('data_subject_field', { found: { ...found, events: 0 } })
  expect(nothing['claim']).toMatch(/Before this request a search of the stream found 0 events/)
})

test('that of a withdrawal has the titles of its levels', async () => {
  await setPurposes(memory.deps, 'acme', [
    { name: 'mail', title: 'marketing e-mails', level: 2 },
    { name: 'other', title: 'research', level: 3 },
  ])
  const levels = { isWithdrawal: true, levels: [1, 2] } as const
  expect(await receiptOf('key_field', levels)).toMatchObject({
    levels: [1, 2],
    purposes: [{ level: 2, title: 'marketing e-mails' }],
  })
  expect(await receiptOf('data_subject_field')).not.toHaveProperty('purposes')
})

test('what a restore left unknown is in receipts from then on', async () => {
  expect(await receiptOf('key_field')).not.toHaveProperty('erasuresLost')
  const nowMs = memory.deps.now()
  const lost = [{ sinceMs: nowMs - 1_000, untilMs: nowMs }]
  const restore = { type: 'restore', restoredAtMs: nowMs, erasuresLost: lost, subjectsLost: lost }
  await memory.deps.writer.change(partOf('backup.reapplied'), (draft) =>
    draft.put(restoreKey, { ...restore, type: 'restore' }),
  )
  memory.passTime(1_000)
  const since = new Date(nowMs - 1_000).toISOString()
  const erasuresLost = [{ since, until: new Date(nowMs).toISOString() }]
  expect(await receiptOf('data_subject_field')).toMatchObject({
    erasuresLost,
    incompleteSince: since,
  })
  const byKey = { as: ['key_field'], acceptedAtMs: nowMs } as const
  expect(incompleteSince(memory.follower.tables, byKey)).toBeUndefined()
})
