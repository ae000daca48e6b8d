// How a derived stream handles each kind of record. The records are encrypted in ingest's format.
import { randomUUID } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { createOpener } from '@weir/fieldcrypt'
import { frame } from '@weir/schema-registry'
import type { SourceRecord } from '@weir/kafka'
import { AppError } from '@weir/kit'
import type { ConsentLevelType } from '@weir/control-state'
import { asObject } from '@weir/testkit'
import { createDerive, undecryptablePathsOf } from '../../src/derive/derive.ts'
import type { KnownEra } from '../../src/derive/known-eras.ts'
import { reasonOf } from '../../src/derive/errors.ts'
import { eventOf, keysOfEra, registryId, sealExample } from '../support/sealed.ts'
import type { Sealed } from '../support/sealed.ts'

const input = { streamId: randomUUID(), rotationHours: 24 }
const keys = keysOfEra(input)
/** A text in every value of the event, and nowhere else. */
const mark = 'x8231x'
const demo = await sealExample('demo_v1', keys.whole, {
  unique_identifier: { string: `unique ${mark}` },
  consistent_value: `consistent ${mark}`,
  some_sensitive_value: { string: `sensitive ${mark}` },
  not_sensitive_value: { string: `not sensitive ${mark}` },
})
const click = await sealExample('clickstream', keys.whole)
const ofOtherKeys = await sealExample('demo_v1', keysOfEra(input).whole)

type Stream = { levels: number[]; type?: ConsentLevelType }
type AtHand = { keys?: KnownEra; contractIsKnown?: boolean }

/** Derives a record, by default with all keys available. */
function derive(sealed: Sealed, { levels, type = 'CUMULATIVE' }: Stream, atHand: AtHand = {}) {
  const known = { contract: sealed.contract, registryId }
  const derived = createDerive(
    {
      opener: createOpener({ entriesMax: 100 }),
      contract: (id) =>
        atHand.contractIsKnown !== false && id === known.contract.id ? known : undefined,
      eraKeys: () => ('keys' in atHand ? atHand.keys : keys.whole),
    },
    { consentLevels: levels, consentLevelType: type },
    input,
  )
  return derived(sealed.record)
}

const fieldsOf = (sealed: Sealed, stream: Stream, atHand?: AtHand) =>
  eventOf(sealed.contract, derive(sealed, stream, atHand))

const inInput = (sealed: Sealed) => eventOf(sealed.contract, { ...sealed.record, headers: {} })

describe('what is opened', () => {
  test('level 2 opens levels 1 and 2 and leaves level 3 sealed as it lies in the input', () => {
    const { unique_identifier, consistent_value } = demo.sent
    const event = fieldsOf(demo, { levels: [2] })
    expect(event).toEqual({ ...inInput(demo), unique_identifier, consistent_value })
    expect(event['some_sensitive_value']).not.toEqual(demo.sent['some_sensitive_value'])
  })

  test('GRANULAR opens exactly its levels', () => {
    const { unique_identifier, some_sensitive_value } = demo.sent
    const event = fieldsOf(demo, { levels: [1, 3], type: 'GRANULAR' })
    expect(event).toEqual({ ...inInput(demo), unique_identifier, some_sensitive_value })
  })

  test('keys of levels that the stream may not see are not even asked for', () => {
    const watched = keys.watched()
    derive(demo, { levels: [2] }, { keys: watched.keys })
    expect(watched.asked).toEqual([1, 2])
  })

  test('null stays null', async () => {
    const none = { unique_identifier: null, some_sensitive_value: null }
    const sealed = await sealExample('demo_v1', keys.whole, none)
    expect(fieldsOf(sealed, { levels: [3] })).toMatchObject(none)
  })

  test.each([59 * 60_000, 30 * 86_400_000, -Date.now()])(
    'a record that Kafka has stamped with another time, %d ms later, is opened all the same',
    (laterMs) => {
      const timestampMs = demo.record.timestampMs + laterMs
      const late = { ...demo, record: { ...demo.record, timestampMs } }
      expect(fieldsOf(late, { levels: [2] })).toEqual(fieldsOf(demo, { levels: [2] }))
      expect(derive(late, { levels: [2] })).toMatchObject({
        timestampMs: demo.record.timestampMs,
        headers: { 'svc-time': String(demo.record.timestampMs) },
      })
    },
  )

  test('key, timestamp and headers are those of the input record', () => {
    const { key, timestampMs, headers } = click.record
    expect(derive(click, { levels: [0] })).toMatchObject({
      key,
      timestampMs,
      headers: {
        'svc-schema-id': 'clickstream',
        'svc-key-link': headers['svc-key-link'],
        'svc-time': String(timestampMs),
      },
    })
  })

  test('where no PII is to be opened the bytes stay as they are, and no key of a level is needed', () => {
    const derived = derive(demo, { levels: [0] }, { keys: keys.withoutLevels })
    expect(derived?.value).toEqual(demo.record.value)
  })
})

describe('what passes', () => {
  test.each([
    [[], []],
    [[0], [0]],
    [[1], [1]],
    [
      [0, 1, 2, 3],
      [0, 1, 2, 3],
    ],
    [[3, 7], [3]],
  ])(
    'of an event with consent %j streams of the levels 0 to 3 get it: %j',
    async (consent, expected) => {
      const { svcMeta } = demo.sent
      const sealed = await sealExample('demo_v1', keys.whole, {
        svcMeta: { ...asObject(svcMeta), consentLevels: consent },
      })
      const reached = [0, 1, 2, 3].filter(
        (level) => derive(sealed, { levels: [level] }) !== undefined,
      )
      expect(reached).toEqual(expected)
    },
  )

  test('the consent that counts is the event’s, whatever else the record says', () => {
    const headers = { ...demo.record.headers, consentLevels: Buffer.from('[9]') }
    expect(
      derive({ ...demo, record: { ...demo.record, headers } }, { levels: [9] }),
    ).toBeUndefined()
  })
})

describe('what is not known yet makes the deriver wait; nothing is passed or opened', () => {
  test.each<[string, AtHand]>([
    ['the keys of the era', { keys: undefined }],
    ['the part label', { keys: keys.withoutLabel }],
    ['the part tree', { keys: keys.withoutTree }],
    ['the key of a level', { keys: keys.withoutLevels }],
  ])('%s', (_, atHand) => {
    expect(() => derive(demo, { levels: [3] }, atHand)).toThrow(
      expect.objectContaining({ code: 'derive.not_known_yet' }),
    )
  })

  test('an era that never was, or a contract that there is not, is told apart from that', () => {
    const never = errorOf(() => derive(demo, { levels: [3] }, { keys: 'never' }))
    expect(reasonOf(never)).toBe('no_such_era')
    const nameless = errorOf(() => derive(demo, { levels: [3] }, { contractIsKnown: false }))
    expect(reasonOf(nameless)).toBe('unknown_contract')
    expect(nameless.message).not.toContain(demo.contract.id)
  })

  test('and the message names stream, era and part, but no value', () => {
    const failed = errorOf(() => derive(demo, { levels: [3] }, { keys: keys.withoutLevels }))
    expect(failed.message).toMatch(/^the key of level 1 of stream [0-9a-f-]{36}, era \d+ is not/)
    expect(failed.message).not.toContain(mark)
  })
})

describe('erased keys', () => {
  const erased = [
    ['a person who is forgotten', keys.erased],
    ['an era whose keys have reached their age', 'erased'],
  ] as const

  test.each(erased)(
    'of %s: the fields are delivered sealed, and the header names them',
    (_, gone) => {
      const derived = derive(demo, { levels: [2] }, { keys: gone })
      expect(eventOf(demo.contract, derived)).toEqual(inInput(demo))
      expect(derived?.headers?.['svc-undecryptable']).toBe('unique_identifier,consistent_value')
      expect(derived && undecryptablePathsOf(derived)).toHaveLength(2)
    },
  )

  test.each(erased)('of %s: fields that the stream may not see are not named', (_, gone) => {
    const derived = derive(click, { levels: [0] }, { keys: gone })
    expect(derived?.headers?.['svc-undecryptable']).toBe('customer/id')
  })

  test('a record whose fields are all open has no such header', () => {
    const derived = derive(demo, { levels: [3] })
    expect(derived?.headers).not.toHaveProperty('svc-undecryptable')
    expect(derived && undecryptablePathsOf(derived)).toEqual([])
  })
})

describe('a record that no ingest wrote is refused, and nothing of it is opened', () => {
  const { record, contract } = demo
  const value = record.value ?? Buffer.alloc(0)
  const payload = value.subarray(5)
  const without = (name: string): SourceRecord => {
    const { [name]: _, ...headers } = record.headers
    return { ...record, headers }
  }
  const withHeader = (name: string, bytes: Buffer): SourceRecord => ({
    ...record,
    headers: { ...record.headers, [name]: bytes },
  })
  const swapped = (): SourceRecord => {
    const event = contract.decode(Buffer.from(payload))
    const [texts, replaced] = [[] as string[], [] as string[]]
    contract.mapPii(event, (text) => (texts.push(text), text))
    contract.mapPii(event, () => (replaced.push(''), texts.at(-replaced.length) ?? ''))
    return { ...record, value: frame(registryId, contract.encode(event)) }
  }

  /**
   * Changes the consent, as any client that may write to the input topic could do to get the event into another output.
   */
  const withConsent = (consentLevels: readonly number[]): SourceRecord => {
    const event = contract.decode(Buffer.from(payload))
    const meta = asObject(event['svcMeta'])
    meta['consentLevels'] = consentLevels
    return { ...record, value: frame(registryId, contract.encode(event)) }
  }

  const takenAt = (timestampMs: number): SourceRecord => {
    const event = contract.decode(payload)
    const stamped = { schemaId: contract.id, nonce: 1, keyLinkUuid: 'k', keyLinkInt: 1 }
    contract.stamp(event, { ...stamped, timestampMs, billingId: 'acme' })
    return { ...record, value: frame(registryId, contract.encode(event)) }
  }

  test.each<[string, string, SourceRecord]>([
    ['without svc-schema-id', 'corrupt', without('svc-schema-id')],
    ['without svc-key-link', 'corrupt', without('svc-key-link')],
    ['without a value', 'corrupt', { ...record, value: null }],
    ['not framed', 'not_framed', { ...record, value: Buffer.from('event') }],
    ['framed with another schema', 'corrupt', { ...record, value: frame(registryId + 1, payload) }],
    ['cut short', 'undecodable', { ...record, value: value.subarray(0, -3) }],
    ['with a key link of nobody', 'corrupt', withHeader('svc-key-link', Buffer.alloc(16, 7))],
    ['with a short key link', 'corrupt', withHeader('svc-key-link', Buffer.alloc(3))],
    ['sealed with other keys', 'corrupt', ofOtherKeys.record],
    ['with its sealed fields swapped', 'corrupt', swapped()],
    ['with more consent than was sent', 'corrupt', withConsent([0, 1, 2, 3, 4])],
    ['with less consent than was sent', 'corrupt', withConsent([3])],
    ['with a level that does not exist', 'corrupt', withConsent([3, 256])],
    ['of another day', 'corrupt', takenAt(record.timestampMs - 86_400_000)],
    ['of no time', 'corrupt', takenAt(-1)],
  ])('%s', (_, code, bad) => {
    const failed = errorOf(() => derive({ ...demo, record: bad }, { levels: [3] }))
    expect(reasonOf(failed)).toBe(code)
    expect(failed.message).not.toContain(mark)
  })
})

function errorOf(work: () => unknown): AppError {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('nothing was refused')
}
