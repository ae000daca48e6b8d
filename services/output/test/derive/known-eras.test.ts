// When the keys of an era count as erased, and when as nonexistent.
import { describe, expect, test } from '@jest/globals'
import { ERA_MS } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import type { InputStream } from '@weir/control-state'
import { createKnownEras } from '../../src/derive/known-eras.ts'
import { keysOfEra } from '../support/sealed.ts'
import { followerOf, inputStream } from '../support/streams.ts'

const input = inputStream({ keyRetentionDays: 10 })
const keys = keysOfEra(input)

describe('the keys of an era', () => {
  const dayMs = 86_400_000
  const era = 100
  const endOfEra = (era + 1) * ERA_MS
  const pastRetention = endOfEra + 10 * dayMs + 1

  function eraKeysAt(
    nowMs: number,
    held: { keys?: EraKeys; parts?: string[]; days?: number; of?: InputStream } = {},
  ) {
    const { follower, putStream } = followerOf()
    putStream({ ...input, keyRetentionDays: held.days ?? input.keyRetentionDays })
    const prefix = `acme/${input.streamId}/${era}/`
    const under = (asked: string) =>
      (held.parts ?? []).map((part) => prefix + part).filter((key) => key.startsWith(asked))
    const keyring = { eraKeys: () => held.keys }
    const { tables } = follower
    const of = held.of ?? input
    return createKnownEras(
      { follower: { tables, keyring, keyStore: { under } }, now: () => nowMs },
      of,
    )(era)
  }

  test('are used whenever they are at hand, however old', () => {
    expect(eraKeysAt(pastRetention + 100 * dayMs, { keys: keys.whole })).toBe(keys.whole)
  })

  test('that are not at hand are waited for while the era is within key retention', () => {
    expect(eraKeysAt(endOfEra)).toBeUndefined()
    expect(eraKeysAt(pastRetention - 2)).toBeUndefined()
  })

  test('count as erased once the era is past key retention and all of them are gone', () => {
    expect(eraKeysAt(pastRetention)).toBe('erased')
  })

  test('are waited for as long as one is there and cannot be opened', () => {
    expect(eraKeysAt(pastRetention, { parts: ['label'] })).toBeUndefined()
    expect(eraKeysAt(pastRetention, { parts: ['level.1'] })).toBeUndefined()
  })

  test('follow a change of the stream’s key retention', () => {
    expect(eraKeysAt(pastRetention, { days: 11 })).toBeUndefined()
    expect(eraKeysAt(endOfEra + dayMs + 1, { days: 1 })).toBe('erased')
  })

  test('of a time before the stream was made, or yet to come, were never there', () => {
    const young = { ...input, createdAtMs: endOfEra + 1 }
    expect(eraKeysAt(endOfEra + 2, { of: young })).toBe('never')
    expect(eraKeysAt(endOfEra - ERA_MS - 1)).toBe('never')
    expect(eraKeysAt(endOfEra - ERA_MS)).toBeUndefined()
  })

  test('are waited for when any part of them is there, whatever the clock says', () => {
    expect(eraKeysAt(endOfEra - ERA_MS - 1, { parts: ['level.1'] })).toBeUndefined()
    expect(eraKeysAt(endOfEra - ERA_MS - 1, { keys: keys.whole })).toBe(keys.whole)
  })
})
