// Keys that auth creates: for the next era, for signing and for wrapping.
import { createPublicKey } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { ERA_MS, eraAt, termEndMs, termOf } from '@weir/fieldcrypt'
import { AppError } from '@weir/kit'
import { signIdToken, verifyIdToken } from '@weir/tokens'
import { keepErasAhead } from '../../../src/control/keys/keep-eras.ts'
import { contractKey, createVerificationKeys, streamKey } from '@weir/control-state'
import {
  createSigner,
  keepSigningKeys,
  publishedKeys,
} from '../../../src/control/keys/signing-keys.ts'
import {
  given,
  contractRecord,
  inputStream,
} from '../../../../../packages/control-state/test/support.ts'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

describe('signing keys', () => {
  const keys = ({ follower, deps }: Memory) => publishedKeys(follower.tables, deps.now())

  test('the first one signs at once, and what it signs verifies by what is published', async () => {
    const { deps, follower } = memoryControl()
    await keepSigningKeys(deps)
    const nowSeconds = Math.floor(deps.now() / 1000)
    const token = signIdToken(
      createSigner(deps)(),
      { sub: 'c', billingId: 'acme', stream: 's', streamId: 'i', kind: 'input' },
      { issuer: 'x', nowSeconds, lifeSeconds: 60 },
    )
    const keyOf = createVerificationKeys(follower.tables, deps.now)
    expect(verifyIdToken(token, { keyOf, issuer: 'x', nowSeconds })).toMatchObject({ sub: 'c' })
  })

  test('one is enough: replicas and passes make no second one', async () => {
    const memory = memoryControl()
    await Promise.all([keepSigningKeys(memory.deps), keepSigningKeys(memory.replica('two'))])
    await keepSigningKeys(memory.deps)
    expect(keys(memory)).toHaveLength(1)
  })

  test('the next one is published an hour before it signs', async () => {
    const memory = memoryControl()
    await keepSigningKeys(memory.deps)
    const sign = createSigner(memory.deps)
    const first = sign().kid
    memory.passTime(30 * dayMs - hourMs + 1)
    await keepSigningKeys(memory.deps)
    expect(keys(memory)).toHaveLength(2)
    expect(sign().kid).toBe(first)
    memory.passTime(hourMs)
    const second = sign().kid
    expect(second).not.toBe(first)
    expect(keys(memory).map(({ kid }) => kid)).toContain(second)
  })

  test('an old one stays published until the last token under it is dead, then both halves go', async () => {
    const memory = memoryControl()
    await keepSigningKeys(memory.deps)
    const { kid } = createSigner(memory.deps)()
    memory.passTime(30 * dayMs)
    await keepSigningKeys(memory.deps)
    memory.passTime(30 * dayMs - 1)
    expect(keys(memory).map((key) => key['kid'])).toContain(kid)
    memory.passTime(1)
    expect(keys(memory).map((key) => key['kid'])).not.toContain(kid)
    await keepSigningKeys(memory.deps)
    expect(memory.follower.tables.signingKey(kid)).toBeUndefined()
    expect(memory.follower.keyStore.get(`_signing/${kid}`)).toBeUndefined()
  })

  test('without one nothing is signed', () => {
    expect(createSigner(memoryControl().deps)).toThrow(
      expect.objectContaining({ code: 'unavailable' }),
    )
  })

  test('only the public half is published', async () => {
    const memory = memoryControl()
    await keepSigningKeys(memory.deps)
    for (const jwk of keys(memory)) {
      expect(Object.keys(jwk).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use'])
      expect(createPublicKey({ key: { ...jwk }, format: 'jwk' }).type).toBe('public')
    }
  })
})

describe('terms and eras', () => {
  /** Returns the names of the key records of an era, such as `651`, or of a term, such as `t54`. */
  const partsOf = ({ follower }: Memory, streamId: string, era: number | string) =>
    [...follower.keyStore.under(`acme/${streamId}/${era}/`)].map((key) => key.split('/').at(-1))

  async function withStream() {
    const memory = memoryControl()
    const stream = inputStream()
    await memory.deps.writer.change(given, (draft) => {
      draft.put(streamKey('acme', 'clicks'), stream)
      draft.put(contractKey('acme', 'x'), contractRecord({ id: 'x', piiFields: { a: 2, b: 0 } }))
      const archived = contractRecord({ id: 'y', status: 'archived', piiFields: { a: 9 } })
      draft.put(contractKey('acme', 'y'), archived)
    })
    const era = eraAt(memory.deps.now())
    return { ...memory, stream, era, term: termOf(era) }
  }

  test('this one and the next have their parts, for each level of an active contract', async () => {
    const memory = await withStream()
    await keepErasAhead(memory.deps)
    for (const era of [memory.era, memory.era + 1])
      expect(partsOf(memory, memory.stream.streamId, era)).toEqual(['label', 'level.0', 'level.2'])
    expect(partsOf(memory, memory.stream.streamId, `t${memory.term}`)).toEqual(['link', 'tree'])
    expect(partsOf(memory, memory.stream.streamId, memory.era + 2)).toEqual([])
    expect(partsOf(memory, memory.stream.streamId, `t${memory.term + 1}`)).toEqual([])
  })

  test('the next term has its parts one era ahead', async () => {
    const memory = await withStream()
    memory.passTime(termEndMs(memory.term) - ERA_MS - memory.deps.now() - 1)
    const next = () => partsOf(memory, memory.stream.streamId, `t${memory.term + 1}`)
    await keepErasAhead(memory.deps)
    expect(next()).toEqual([])
    memory.passTime(1)
    await keepErasAhead(memory.deps)
    expect(next()).toEqual(['link', 'tree'])
  })

  test('a part is made once and never again, a split tree included', async () => {
    const memory = await withStream()
    const { keyStore } = memory.follower
    await keepErasAhead(memory.deps)
    const prefix = `acme/${memory.stream.streamId}/t${memory.term}/`
    const tree = keyStore.get(`${prefix}tree`)
    memory.keys.apply(`${prefix}tree`, null)
    memory.keys.apply(`${prefix}tree.0`, tree ?? null)
    const link = keyStore.get(`${prefix}link`)
    await keepErasAhead(memory.deps)
    expect(keyStore.get(`${prefix}link`)).toBe(link)
    expect(keyStore.get(`${prefix}tree`)).toBeUndefined()
  })

  test('time going on, the era after the next gets its parts, and none is made for the past', async () => {
    const memory = await withStream()
    memory.passTime(ERA_MS)
    await keepErasAhead(memory.deps)
    const { streamId } = memory.stream
    expect(partsOf(memory, streamId, memory.era)).toEqual([])
    expect(partsOf(memory, streamId, memory.era + 2)).not.toEqual([])
  })

  test('a deleted stream gets no more keys', async () => {
    const memory = await withStream()
    await memory.deps.writer.change(given, (draft) =>
      draft.put(streamKey('acme', 'clicks'), { ...memory.stream, state: 'deleting' }),
    )
    await keepErasAhead(memory.deps)
    expect(partsOf(memory, memory.stream.streamId, memory.era)).toEqual([])
  })
})

describe('wrapping keys', () => {
  test('are made when they are first needed, and never twice', async () => {
    const { deps, follower } = memoryControl()
    await deps.wrappingKeys.changeWith(given, ['open', 'level.1'], () => undefined)
    const first = follower.keyStore.get('_ring/open/1')
    await deps.wrappingKeys.changeWith(given, ['open'], () => undefined)
    expect(first).toBeDefined()
    expect(follower.keyStore.get('_ring/open/1')).toBe(first)
    expect(deps.wrappingKeys.current('level.1').keyVersion).toBe(1)
  })

  test('a change that finds a wrapping key missing is made again once it is there', async () => {
    const { deps } = memoryControl()
    let tries = 0
    const answer = await deps.wrappingKeys.changeFor(given, { billingId: 'acme' }, (draft) => {
      tries += 1
      if (tries === 1) throw new AppError('keys.ring_missing', 'another replica needs level.7')
      return draft.account('acme')?.billingId
    })
    expect(answer).toBe('acme')
    const never = deps.wrappingKeys.changeFor(given, { billingId: 'acme' }, () =>
      deps.wrappingKeys.current('level.8'),
    )
    await expect(never).rejects.toMatchObject({ code: 'unavailable' })
  })
})
