import { beforeAll, describe, expect, test } from '@jest/globals'

import { consentLevelsOf, invalidConsentLevel, timestampOf } from '../src/index.ts'
import type { Contract } from '../src/index.ts'
import {
  baseEvent,
  bodyOf,
  bodyWith,
  compile,
  definitionWith,
  eventOf,
  exampleContract,
  exampleNames,
} from './examples.ts'
import type { ExampleName } from './examples.ts'

const contracts = new Map<ExampleName, Contract>()
const contractOf = (name: ExampleName): Contract => {
  const contract = contracts.get(name)
  if (!contract) throw new Error(`no contract ${name}`)
  return contract
}

beforeAll(async () => {
  for (const name of exampleNames) contracts.set(name, await exampleContract(name))
})

describe('the contracts of the spec', () => {
  test('the clickstream body that performance is measured with has 471 bytes', () => {
    expect(bodyOf('clickstream')).toHaveLength(471)
  })

  test.each(exampleNames)('%s: the example event is read, passes, and survives Avro', (name) => {
    const contract = contractOf(name)
    const event = contract.readJson(bodyOf(name))

    expect(contract.firstViolation(event)).toBeUndefined()
    expect(invalidConsentLevel(event)).toBeUndefined()
    expect(contract.keyOf(event)).toBe('session-0001')
    const datum = contract.encode(event)
    expect(contract.decode(datum)).toEqual(event)
  })

  test.each(exampleNames)(
    '%s: what is read of its personal fields alone is written as all of it',
    (name) => {
      const contract = contractOf(name)
      const datum = contract.encode(contract.readJson(bodyOf(name)))
      const whole = contract.decode(datum)
      const personal = contract.decodePersonal(datum)

      expect(consentLevelsOf(personal)).toEqual(consentLevelsOf(whole))
      expect(timestampOf(personal)).toEqual(timestampOf(whole))
      const paths: string[] = []
      contract.mapPii(whole, (text, path) => `${path} of ${text}`)
      contract.mapPii(personal, (text, path) => {
        paths.push(path)
        return `${path} of ${text}`
      })
      expect(paths).not.toEqual([])
      expect(contract.encode(personal)).toEqual(contract.encode(whole))
      expect(() => contract.decodePersonal(datum.subarray(0, -1))).toThrow(
        expect.objectContaining({ code: 'contracts.undecodable' }),
      )
    },
  )

  test('key field, levels and consent levels are those of the contract and the event', () => {
    expect(contractOf('clickstream').keyField).toBe('producerSessionId')
    expect(contractOf('clickstream').levels).toEqual([0, 1])
    expect(contractOf('demo_v1').levels).toEqual([1, 2, 3])
    expect(contractOf('nps_unified_v1').levels).toEqual([1])
    expect(contractOf('partner_nps_unified_v1').levels).toEqual([0])
    const event = contractOf('demo_event').readJson(bodyOf('demo_event'))
    expect(consentLevelsOf(event)).toEqual([0, 1, 2, 3])
  })

  test('plain JSON has unions flattened and longs as numbers', () => {
    const contract = contractOf('demo_v1')
    const event = contract.readJson(bodyOf('demo_v1'))

    expect(contract.toPlain(event)).toEqual({
      svcMeta: {
        schemaId: null,
        nonce: null,
        timestamp: null,
        keyLink: null,
        billingId: null,
        consentLevels: [0, 1, 2, 3],
      },
      unique_identifier: 'unique-1',
      consistent_value: 'session-0001',
      some_sensitive_value: 'sensitive',
      not_sensitive_value: 'not sensitive',
    })
  })
})

describe('the key field', () => {
  test('null, empty, and below a record that is null: there is no key', async () => {
    const holder = {
      type: 'record',
      name: 'Holder',
      fields: [{ name: 'id', type: ['null', 'string'] }],
    }
    const fields = [{ name: 'holder', type: ['null', holder] }]
    const keyed = await compile(definitionWith({ fields, keyField: 'holder/id' }))
    const owned = await compile(definitionWith({ fields, subject: 'holder/id' }))
    const keyOf = (held: unknown): (string | undefined)[] => {
      const body = bodyWith({ ...baseEvent, holder: held })
      return [keyed.keyOf(keyed.readJson(body)), owned.dataSubjectOf(owned.readJson(body))]
    }

    expect(keyOf({ Holder: { id: { string: 'a' } } })).toEqual(['a', 'a'])
    expect(keyOf({ Holder: { id: { string: '' } } })).toEqual([undefined, undefined])
    expect(keyOf({ Holder: { id: null } })).toEqual([undefined, undefined])
    expect(keyOf(null)).toEqual([undefined, undefined])
  })

  test('a contract without data_subject_field has no data subjects', () => {
    const contract = contractOf('clickstream')
    expect(contract.dataSubjectOf(contract.readJson(bodyOf('clickstream')))).toBeUndefined()
  })
})

describe('consent levels', () => {
  test.each([
    [[], undefined],
    [[0, 255], undefined],
    [[0, 256, -1], 256],
    [[-1], -1],
  ])('of %j, the first outside 0 to 255 is %s', (levels, invalid) => {
    const contract = contractOf('demo_v1')
    const sent = eventOf('demo_v1')
    const body = bodyWith({ ...sent, svcMeta: { consentLevels: levels } })
    expect(invalidConsentLevel(contract.readJson(body))).toBe(invalid)
  })
})

describe('PII fields', () => {
  test('every text that is not null is replaced in place, with its path and level', async () => {
    const inner = {
      type: 'record',
      name: 'Inner',
      fields: [
        { name: 'a', type: ['null', 'string'] },
        { name: 'b', type: { type: 'array', items: 'string' } },
      ],
    }
    const contract = await compile(
      definitionWith({
        fields: [
          { name: 'inner', type: inner },
          { name: 'other', type: ['Inner', 'null'] },
          { name: 'open', type: 'string' },
        ],
        pii: { key: 7, 'inner/a': 0, 'inner/b': 1, 'other/a': 2, 'other/b': 255 },
      }),
    )
    const sent = { ...baseEvent, inner: { a: null, b: ['x', 'y'] }, open: 'o' }
    const seen: string[] = []
    const replace = (text: string, path: string, level: number): string => {
      seen.push(`${path} ${level} ${text}`)
      return `<${text}>`
    }

    const event = contract.readJson(
      bodyWith({ ...sent, other: { Inner: { a: { string: 'z' }, b: [] } } }),
    )
    contract.mapPii(event, replace)
    expect(seen).toEqual(['key 7 k', 'inner/b 1 x', 'inner/b 1 y', 'other/a 2 z'])
    expect(contract.toPlain(contract.decode(contract.encode(event)))).toEqual({
      ...baseEvent,
      key: '<k>',
      inner: { a: null, b: ['<x>', '<y>'] },
      other: { a: '<z>', b: [] },
      open: 'o',
    })

    const withNull = contract.readJson(bodyWith({ ...sent, other: null }))
    contract.mapPii(withNull, replace)
    expect(contract.toPlain(withNull)).toMatchObject({ other: null })
    expect(contract.levels).toEqual([0, 1, 2, 7, 255])
  })

  test('an empty text is sealed too: only null stays', () => {
    const contract = contractOf('clickstream')
    const sent = eventOf('clickstream')
    const event = contract.readJson(bodyWith({ ...sent, customer: { id: '' } }))
    contract.mapPii(event, () => 'sealed')
    expect(contract.toPlain(event)).toMatchObject({ customer: { id: 'sealed' } })
  })
})
