import { describe, expect, test } from '@jest/globals'
import { frame } from '@weir/schema-registry'
import type { SourceRecord } from '@weir/kafka'
import { createRender } from '../../src/websocket/render.ts'
import { keysOfEra, registryId, sealExample, timestampMs } from '../support/sealed.ts'
import { inputStream } from '../support/streams.ts'

const { contract, record, sent } = await sealExample('demo_v1', keysOfEra(inputStream()).whole)
const render = createRender((id) => (id === contract.id ? { contract, registryId } : undefined))
const shown = JSON.parse(render(record)?.toString('utf8') ?? '')

test('a message is plain JSON: unions flattened, null as null, the fields of the contract in their order', () => {
  expect(Object.keys(shown)).toEqual(Object.keys(sent))
  expect(shown.not_sensitive_value).toBe('not sensitive')
  expect(shown.svcMeta).toEqual({
    schemaId: 'demo_v1',
    nonce: 42,
    timestamp: timestampMs,
    keyLink: expect.any(Number),
    billingId: 'acme',
    consentLevels: [0, 1, 2, 3],
  })
})

test('fields are shown just as they lie in the topic', () => {
  expect(shown.consistent_value).toMatch(/^A[Q-Za-f][\w+/]+=*$/)
  expect(shown.consistent_value).not.toBe(sent['consistent_value'])
})

describe('a record that cannot be shown', () => {
  const value = record.value ?? Buffer.alloc(0)
  const bad: Record<string, Partial<SourceRecord>> = {
    'derive.corrupt': { headers: {} },
    'registry.not_framed': { value: Buffer.from('event') },
    'contracts.undecodable': { value: value.subarray(0, -3) },
  }

  test('is refused when its contract is not known, for that may change', () => {
    const headers = { ...record.headers, 'svc-schema-id': Buffer.from('new') }
    const code = 'derive.unknown_contract'
    expect(() => render({ ...record, headers })).toThrow(expect.objectContaining({ code }))
  })

  test.each(Object.entries(bad))('is refused as %s', (code, difference) => {
    expect(() => render({ ...record, ...difference })).toThrow(expect.objectContaining({ code }))
  })

  test('is refused when it is a tombstone, or framed with the schema of another contract', () => {
    const framedOtherwise = frame(registryId + 1, value.subarray(5))
    for (const each of [null, framedOtherwise])
      expect(() => render({ ...record, value: each })).toThrow(
        expect.objectContaining({ code: 'derive.corrupt' }),
      )
  })
})
