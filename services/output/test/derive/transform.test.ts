// A record of a batch fails while a caller waits. Only this record is returned as `dead`.
import { describe, expect, test } from '@jest/globals'
import type { OutRecord, SourceRecord } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { createTryAll } from '../../src/derive/transform.ts'
import { keysOfEra, sealExample } from '../support/sealed.ts'
import { inputStream } from '../support/streams.ts'

const { record } = await sealExample('demo_v1', keysOfEra(inputStream()).whole)
const out: OutRecord = { key: null, value: null }
const records = [0n, 1n, 2n].map((offset) => ({ ...record, offset }))

type Fault = (looks: number) => Error | undefined

/** Derives three records: the first is filtered, the second fails, the third passes. */
function roundThat(fault: Fault, isFresh = true) {
  let looks = 0
  const derive = (given: SourceRecord): OutRecord | undefined => {
    const error = fault(looks)
    if (error !== undefined && given.offset === 1n) throw error
    return given.offset === 0n ? undefined : out
  }
  const follower = { refresh: async () => void (looks += 1), isFresh: () => isFresh }
  return { derived: createTryAll(derive, follower)(records), looks: () => looks }
}

const codes: Readonly<Record<string, string>> = {
  not_known_yet: 'derive.not_known_yet',
  unknown_contract: 'derive.unknown_contract',
  no_such_era: 'derive.no_such_era',
  corrupt: 'fieldcrypt.corrupt',
  key_unavailable: 'fieldcrypt.key_unavailable',
  record_unreadable: 'fieldcrypt.record_unreadable',
  not_framed: 'registry.not_framed',
  undecodable: 'contracts.undecodable',
}
const coded = (reason: string) => new AppError(codes[reason] ?? reason, 'a fault of the test')

describe('a round of records', () => {
  test('is derived in order, undefined where consent is missing, without looking again', async () => {
    const { derived, looks } = roundThat(() => undefined)
    expect(await derived).toEqual([undefined, out, out])
    expect(looks()).toBe(0)
  })

  test.each(['not_known_yet', 'unknown_contract', 'no_such_era', 'record_unreadable'])(
    'with %s is derived after the tables have caught up',
    async (code) => {
      const { derived, looks } = roundThat((times) => (times === 0 ? coded(code) : undefined))
      expect(await derived).toEqual([undefined, out, out])
      expect(looks()).toBe(1)
    },
  )

  test.each(['corrupt', 'not_framed', 'undecodable'])(
    'with a record that is %s has that one dead, and all others in their places',
    async (code) => {
      const { derived, looks } = roundThat(() => coded(code))
      expect(await derived).toEqual([undefined, { dead: code }, out])
      expect(looks()).toBe(0)
    },
  )

  test.each([
    'unknown_contract',
    'no_such_era',
    'not_known_yet',
    'key_unavailable',
    'record_unreadable',
  ])('with %s has that one dead once control state has been followed past it', async (code) => {
    const { derived, looks } = roundThat(() => coded(code))
    expect(await derived).toEqual([undefined, { dead: code }, out])
    expect(looks()).toBe(1)
  })

  test('with an error that nobody has foreseen has that record dead, and says nothing of it', async () => {
    const { derived } = roundThat(() => new RangeError('a value that nobody may see'))
    expect(await derived).toEqual([undefined, { dead: 'unexpected' }, out])
  })

  test('gets no verdict while control state is being read anew: all of it comes again', async () => {
    const { derived } = roundThat(() => coded('unknown_contract'), false)
    await expect(derived).rejects.toMatchObject({ code: 'derive.not_known_yet' })
  })
})
