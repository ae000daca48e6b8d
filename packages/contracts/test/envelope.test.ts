import { describe, expect, test } from '@jest/globals'

import { consentLevelsOf, invalidConsentLevel } from '../src/index.ts'
import type { Contract } from '../src/index.ts'
import {
  bodyOf,
  bodyWith,
  compile,
  definitionWith,
  eventOf,
  exampleContract,
  exampleNames,
} from './examples.ts'

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

describe('in JSON, the members that ingest fills in may be missing', () => {
  test.each(exampleNames)('from an event of %s', async (name) => {
    const contract = await exampleContract(name)
    const consentLevels = [0, 1]
    const short = bodyWith({ ...eventOf(name), svcMeta: { consentLevels } })
    expect(stamped(contract, short)).toEqual({
      ...Object(stamped(contract, bodyOf(name))),
      consentLevels,
    })
  })

  const levels = { name: 'consentLevels', type: { type: 'array', items: 'int' } }
  const shapes = {
    required: { type: (type: string): unknown => type },
    'null or a value': { type: (type: string): unknown => ['null', type] },
    'a value or null': { type: (type: string): unknown => [type, 'null'] },
    'null or a value, by default null': {
      type: (type: string): unknown => ['null', type],
      default: null,
    },
  }
  const envelopes = Object.entries(shapes).flatMap(([shape, { type, ...own }]) =>
    [['string', 'int'] as const, ['int', 'long'] as const].flatMap(([keyLink, nonce]) =>
      (['Meta', 'Meta or null'] as const).map((record) => ({
        shape: `${shape}, keyLink ${keyLink}, nonce ${nonce}, in ${record}`,
        keyLink,
        metaType: (meta: object) => (record === 'Meta' ? meta : ['null', meta]),
        meta: [
          { name: 'nonce', type: type(nonce), ...own },
          { name: 'schemaId', type: type('string'), ...own },
          { name: 'eventContractRef', type: type('string'), ...own },
          levels,
          { name: 'timestamp', type: type('long'), ...own },
          { name: 'keyLink', type: type(keyLink), ...own },
          { name: 'billingId', type: type('string'), ...own },
        ],
      })),
    ),
  )

  test.each(envelopes)('which are $shape', async ({ meta, metaType, keyLink }) => {
    const contract = await compile(definitionWith({ meta, metaType }))
    const expected = {
      ...filled,
      schemaId: stamp.schemaId,
      eventContractRef: stamp.schemaId,
      keyLink: keyLink === 'int' ? stamp.keyLinkInt : stamp.keyLinkUuid,
      consentLevels: [7],
    }
    const svcMeta = { consentLevels: [7] }
    const forms = metaType({}) instanceof Array ? [svcMeta, { Meta: svcMeta }] : [svcMeta]
    for (const form of forms)
      expect(stamped(contract, bodyWith({ svcMeta: form, key: 'k' }))).toEqual(expected)
  })

  test('and the rest of the event is still read strictly first', async () => {
    const mapOf = (values: unknown) => ['null', { type: 'map', values }]
    const fields = [{ name: 'maps', type: mapOf(mapOf('int')) }]
    const contract = await compile(definitionWith({ fields }))
    const maps = { map: { a: { map: { b: 1 } } } } // read leniently, this has a union within a union
    const event = contract.readJson(bodyWith({ svcMeta: { consentLevels: [] }, key: 'k', maps }))
    expect(contract.toPlain(event)).toMatchObject({ maps: { a: { b: 1 } } })
  })

  test('a validation of such a member passes', async () => {
    const validations = [{ field: 'svcMeta/schemaId', type: 'regex', value: '^never$' }]
    const contract = await compile(
      definitionWith({ meta: [{ name: 'schemaId', type: 'string' }, levels], validations }),
    )
    const event = contract.readJson(bodyWith({ svcMeta: { consentLevels: [] }, key: 'k' }))
    expect(contract.firstViolation(event)).toBeUndefined()
  })

  test.each([
    ['consentLevels', { svcMeta: {}, key: 'k' }, "Field 'svcMeta/consentLevels' is missing"],
    [
      'another member of the envelope',
      { svcMeta: { consentLevels: [] }, key: 'k' },
      "Field 'svcMeta/trace' is missing",
    ],
    [
      'an unknown member',
      { svcMeta: { consentLevels: [], trace: '', schemaid: '' }, key: 'k' },
      "Field 'svcMeta/schemaid' is not in the schema",
    ],
    [
      'a member of the wrong type',
      { svcMeta: { consentLevels: [], trace: '', schemaId: 1 }, key: 'k' },
      "Field 'svcMeta/schemaId' is not a string of well-formed Unicode",
    ],
    [
      'a field of the same name outside the envelope',
      { svcMeta: { consentLevels: [], trace: '' }, key: 'k', more: {} },
      "Field 'more/schemaId' is missing",
    ],
    [
      'an envelope within the event',
      {
        svcMeta: { consentLevels: [], trace: '' },
        key: 'k',
        more: { schemaId: '' },
        again: { consentLevels: [], trace: '' },
      },
      "Field 'again/schemaId' is missing",
    ],
  ])('everything else is as strict as before: %s', async (_, event, sentence) => {
    const schemaId = { name: 'schemaId', type: 'string' }
    const more = { type: 'record', name: 'More', fields: [schemaId] }
    const contract = await compile(
      definitionWith({
        meta: [schemaId, levels, { name: 'trace', type: 'string' }],
        fields: [
          { name: 'more', type: more },
          { name: 'again', type: 'Meta' },
        ],
      }),
    )
    expect(() => contract.readJson(bodyWith(event))).toThrow(sentence)
  })
})
