// When a deriver looks again, and when keys count as erased. What Kafka does with it is tested against a
// real broker.
import { describe, expect, test } from '@jest/globals'
import { ERA_MS } from '@weir/fieldcrypt'
import type { EraKeys } from '@weir/fieldcrypt'
import type { OutRecord, SourceRecord } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { createEraKeys, createTransform } from '../src/stream-deriver.ts'
import { keysOfEra, sealExample } from './support/sealed.ts'
import { followerOf, inputStream } from './support/streams.ts'

const input = inputStream({ keyRetentionDays: 10 })
const keys = keysOfEra(input)
const { record } = await sealExample('demo_v1', keys.whole)

describe('a round of records', () => {
  const out: OutRecord = { key: null, value: null }

  function roundThat(fail: (round: number) => string | undefined) {
    let looks = 0
    const derive = (given: SourceRecord): OutRecord | undefined => {
      const code = fail(looks)
      if (code !== undefined && given.offset === 1n) throw new AppError(code, 'a fault of the test')
      return given.offset === 0n ? undefined : out
    }
    const transform = createTransform(derive, { lookAgain: async () => void (looks += 1) })
    const records = [0n, 1n, 2n].map((offset) => ({ ...record, offset }))
    return { derived: transform(records), looks: () => looks }
  }

  test('is derived in order, undefined where consent is missing, without looking again', async () => {
    const { derived, looks } = roundThat(() => undefined)
    expect(await derived).toEqual([undefined, out, out])
    expect(looks()).toBe(0)
  })

  test('with something not known yet is derived after the tables have caught up', async () => {
    const { derived, looks } = roundThat((round) => (round === 0 ? 'not_known_yet' : undefined))
    expect(await derived).toEqual([undefined, out, out])
    expect(looks()).toBe(1)
  })

  test('whose tables do not help fails whole: Kafka gives it again', async () => {
    const { derived, looks } = roundThat(() => 'not_known_yet')
    await expect(derived).rejects.toMatchObject({ code: 'not_known_yet' })
    expect(looks()).toBe(1)
  })

  test('with a record that no ingest wrote fails at once', async () => {
    const { derived, looks } = roundThat(() => 'corrupt')
    await expect(derived).rejects.toMatchObject({ code: 'corrupt' })
    expect(looks()).toBe(0)
  })
})

describe('the keys of an era', () => {
  const dayMs = 86_400_000
  const era = 100
  const endOfEra = (era + 1) * ERA_MS
  const pastRetention = endOfEra + 10 * dayMs + 1

  function eraKeysAt(
    nowMs: number,
    held: { keys?: EraKeys; parts?: string[]; days?: number } = {},
  ) {
    const { follower, putStream } = followerOf()
    putStream({ ...input, keyRetentionDays: held.days ?? input.keyRetentionDays })
    const prefix = `acme/${input.streamId}/${era}/`
    const under = (asked: string) =>
      (held.parts ?? []).map((part) => prefix + part).filter((key) => key.startsWith(asked))
    const keyring = { eraKeys: () => held.keys, under }
    const { tables } = follower
    return createEraKeys({ follower: { tables, keyring }, now: () => nowMs }, input)(era)
  }

  test('are used whenever they are at hand, however old', () => {
    expect(eraKeysAt(pastRetention + 100 * dayMs, { keys: keys.whole })).toBe(keys.whole)
  })

  test('that are not at hand are waited for while the era is within key retention', () => {
    expect(eraKeysAt(endOfEra)).toBeUndefined()
    expect(eraKeysAt(pastRetention - 2)).toBeUndefined()
  })

  test('count as erased once the era is past key retention and its tree is gone', () => {
    expect(eraKeysAt(pastRetention)).toBe('erased')
    expect(eraKeysAt(pastRetention, { parts: ['level.1', 'link'] })).toBe('erased')
  })

  test('are waited for as long as a part of the tree is there and can not be opened', () => {
    expect(eraKeysAt(pastRetention, { parts: ['label', 'tree'] })).toBeUndefined()
    expect(eraKeysAt(pastRetention, { parts: ['tree.0f'] })).toBeUndefined()
  })

  test('follow a change of the stream’s key retention', () => {
    expect(eraKeysAt(pastRetention, { days: 11 })).toBeUndefined()
    expect(eraKeysAt(endOfEra + dayMs + 1, { days: 1 })).toBe('erased')
  })
})
