import { describe, expect, test } from '@jest/globals'

import { consentLevelsOf, invalidConsentLevel } from '../src/index.ts'
import type { Contract } from '../src/index.ts'
import { bodyOf, bodyWith, compile, definitionWith, eventOf, exampleContract } from './examples.ts'

const stamp = {
  schemaId: 'the/contract/1.0.0',
  nonce: -2_147_483_648,
  timestampMs: 1_800_000_000_000,
  keyLinkUuid: '00112233-4455-6677-8899-aabbccddeeff',
  keyLinkInt: 1_122_867,
  billingId: 'acme',
}

/** Returns svcMeta of an event after it was stamped and stored. */
function stamped(contract: Contract, body: Buffer): unknown {
  const event = contract.readJson(body)
  contract.stamp(event, stamp)
  const plain = contract.toPlain(contract.decode(contract.encode(event)))
  return typeof plain === 'object' && plain !== null && 'svcMeta' in plain
    ? plain.svcMeta
    : undefined
}

const filled = {
  nonce: stamp.nonce,
  timestamp: stamp.timestampMs,
  billingId: stamp.billingId,
}

describe('svcMeta is filled in, whatever the producer put there', () => {
  test('with required members, keyLink a nullable int', async () => {
    const contract = await exampleContract('clickstream')
    const sent = eventOf('clickstream')
    const forged = {
      schemaId: 'forged',
      nonce: 1,
      timestamp: 2,
      keyLink: { int: 3 },
      billingId: { string: 'forged' },
      consentLevels: [2, 0],
    }
    const expected = { schemaId: stamp.schemaId, ...filled, keyLink: stamp.keyLinkInt }

    expect(stamped(contract, bodyOf('clickstream'))).toEqual({
      ...expected,
      consentLevels: [0, 1, 2],
    })
    expect(stamped(contract, bodyWith({ ...sent, svcMeta: forged }))).toEqual({
      ...expected,
      consentLevels: [2, 0],
    })
  })

  test('with nullable members', async () => {
    expect(stamped(await exampleContract('demo_v1'), bodyOf('demo_v1'))).toEqual({
      schemaId: stamp.schemaId,
      ...filled,
      keyLink: stamp.keyLinkInt,
      consentLevels: [0, 1, 2, 3],
    })
  })

  test('with eventContractRef, keyLink a UUID as text', async () => {
    expect(stamped(await exampleContract('demo_event'), bodyOf('demo_event'))).toEqual({
      eventContractRef: stamp.schemaId,
      ...filled,
      keyLink: stamp.keyLinkUuid,
      consentLevels: [0, 1, 2, 3],
    })
  })

  test('keyLink required, as an int or as text; nonce a long; members of the producer stay', async () => {
    const levels = { name: 'consentLevels', type: { type: 'array', items: 'int' } }
    const meta = (keyLink: string) => [
      { name: 'schemaId', type: 'string' },
      { name: 'keyLink', type: keyLink },
      { name: 'nonce', type: ['long', 'null'] },
      { name: 'trace', type: 'string' },
      levels,
    ]
    const sent = { schemaId: '', nonce: null, trace: 't', consentLevels: [1] }
    const expected = {
      schemaId: stamp.schemaId,
      nonce: stamp.nonce,
      trace: 't',
      consentLevels: [1],
    }

    const withInt = await compile(definitionWith({ meta: meta('int') }))
    const withText = await compile(definitionWith({ meta: meta('string') }))
    expect(stamped(withInt, bodyWith({ svcMeta: { ...sent, keyLink: 0 }, key: 'k' }))).toEqual({
      ...expected,
      keyLink: stamp.keyLinkInt,
    })
    expect(stamped(withText, bodyWith({ svcMeta: { ...sent, keyLink: '' }, key: 'k' }))).toEqual({
      ...expected,
      keyLink: stamp.keyLinkUuid,
    })
  })

  test('a null envelope becomes one, without consent to anything', async () => {
    const contract = await compile(definitionWith({ metaType: (record) => ['null', record] }))
    const event = contract.readJson(bodyWith({ svcMeta: null, key: 'k' }))

    expect(consentLevelsOf(event)).toEqual([])
    expect(invalidConsentLevel(event)).toBeUndefined()
    contract.stamp(event, stamp)
    expect(contract.toPlain(event)).toEqual({
      svcMeta: { schemaId: stamp.schemaId, consentLevels: [] },
      key: 'k',
    })
    expect(contract.decode(contract.encode(event))).toEqual(event)
  })

  test('a nullable envelope that is there keeps its consent levels', async () => {
    const contract = await compile(definitionWith({ metaType: (record) => ['null', record] }))
    const body = bodyWith({ svcMeta: { Meta: { schemaId: null, consentLevels: [3] } }, key: 'k' })
    expect(stamped(contract, body)).toEqual({ schemaId: stamp.schemaId, consentLevels: [3] })
  })
})
