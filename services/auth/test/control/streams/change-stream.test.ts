import { describe, expect, test } from '@jest/globals'
import {
  addContract,
  archiveContract,
  claimSubject,
} from '../../../src/control/contracts/add-contract.ts'
import {
  addCredential,
  patchStream,
  deleteCredential,
} from '../../../src/control/streams/change-stream.ts'
import { createAccount } from '../../../src/access/manage-api-keys.ts'
import { streamKey } from '@weir/control-state'
import {
  given,
  derivedStream,
  inputStream,
} from '../../../../../packages/control-state/test/support.ts'
import { memoryControl } from '../support-memory.ts'

async function withStreams() {
  const memory = memoryControl()
  const input = inputStream()
  const output = derivedStream(input, { name: 'out' })
  await memory.deps.writer.change(given, (draft) => {
    for (const stream of [input, output]) draft.put(streamKey('acme', stream.name), stream)
  })
  return memory
}

const clicks = { billingId: 'acme', name: 'clicks' }
const out = { billingId: 'acme', name: 'out', input: 'clicks' }

describe('credentials', () => {
  test('are added with the scope that fits the stream, and removed by their clientId', async () => {
    const { deps, follower } = await withStreams()
    const made = await addCredential(deps, clicks)
    expect(made.credential.scope).toEqual(['send', 'listen'])
    expect((await addCredential(deps, out)).credential.scope).toEqual(['listen'])
    const { clientId } = made.credential
    expect(follower.tables.credential(clientId)?.stream.name).toBe('clicks')
    expect(await deleteCredential(deps, clicks, clientId)).toEqual(made.credential)
    expect(follower.tables.credential(clientId)).toBeUndefined()
    await expect(deleteCredential(deps, clicks, clientId)).rejects.toMatchObject({
      code: 'not_found',
    })
  })

  test('of an output never send, and an output is found only under its input', async () => {
    const { deps } = await withStreams()
    await expect(addCredential(deps, out, ['send'])).rejects.toMatchObject({
      code: 'invalid_scope',
    })
    for (const target of [
      { ...out, input: 'other' },
      { billingId: 'acme', name: 'out' },
    ])
      await expect(addCredential(deps, target)).rejects.toMatchObject({
        code: 'control-state.not_found',
      })
  })
})

describe('settings', () => {
  test('a patch changes what it names, a limit at a time', async () => {
    const { deps } = await withStreams()
    const changed = await patchStream(deps, clicks, { limits: { eventCount: '7' }, tags: ['x'] })
    expect(changed).toMatchObject({
      limits: { eventRate: '1', eventCount: '7' },
      tags: ['x'],
      enabled: true,
      keyRetentionDays: 365,
    })
    expect(await patchStream(deps, out, { enabled: false })).toMatchObject({ enabled: false })
  })
})

describe('contracts', () => {
  const request = (id: string, piiFields: Record<string, number> = { a: 1 }) => ({
    billingId: 'acme',
    prepared: { id, schemaText: '{}', validations: [], keyField: 'a', piiFields },
    schemaRegistryRef: 'c-x/latest',
    subject: 'c-x',
    registryId: 1,
    registryVersion: 1,
  })

  test('a subject is its first account', async () => {
    const { deps } = memoryControl()
    await createAccount(deps, 'other')
    const claim = { billingId: 'acme', id: 'x', subject: 'c-x' }
    await claimSubject(deps, claim)
    await claimSubject(deps, { ...claim, id: 'y' })
    const foreign = claimSubject(deps, { ...claim, billingId: 'other' })
    await expect(foreign).rejects.toMatchObject({ code: 'invalid' })
  })

  test('an id is taken for good, archived or not', async () => {
    const { deps } = memoryControl()
    await addContract(deps, request('x'))
    expect(await archiveContract(deps, { billingId: 'acme', id: 'x' })).toMatchObject({
      status: 'archived',
    })
    await expect(addContract(deps, request('x'))).rejects.toMatchObject({ code: 'name_taken' })
    const claim = { billingId: 'acme', id: 'x', subject: 'c-y' }
    await expect(claimSubject(deps, claim)).rejects.toMatchObject({ code: 'name_taken' })
  })

  test('streams that are there get keys for its new levels before it is active', async () => {
    const { deps, follower } = await withStreams()
    await addContract(deps, request('x', { a: 4 }))
    const streamId = follower.tables.stream('acme', 'clicks')?.streamId ?? ''
    const parts = [...follower.keyStore.under(`acme/${streamId}/`)]
    expect(parts.filter((key) => key.endsWith('/level.4'))).toHaveLength(2)
  })

  test('a key field with another level than elsewhere is worth a warning, an archived one is not', async () => {
    const { deps } = memoryControl()
    expect((await addContract(deps, request('x', { a: 1 }))).warnings).toEqual([])
    expect((await addContract(deps, request('y', { a: 0 }))).warnings).toEqual([
      expect.stringMatching(/at level 0, and at level 1 in the contract x /),
    ])
    await archiveContract(deps, { billingId: 'acme', id: 'x' })
    expect((await addContract(deps, request('z', {}))).warnings).toEqual([
      expect.stringMatching(/in the clear.*contract y/),
    ])
  })
})
