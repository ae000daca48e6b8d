import { describe, expect, test } from '@jest/globals'
import { eraAt } from '@weir/fieldcrypt'
import { AppError } from '@weir/kit'
import { addContract } from '../../../src/control/contracts/add-contract.ts'
import { createDerived, createInput } from '../../../src/control/streams/create-stream.ts'
import { deleteStream } from '../../../src/control/streams/delete-stream.ts'
import { hashSecret } from '@weir/control-state'
import { memoryControl } from '../support-memory.ts'
import type { Memory } from '../support-memory.ts'
import { given } from '../../../../../packages/control-state/test/support.ts'

const inputRequest = (name = 'clicks') => ({
  billingId: 'acme',
  name,
  tags: [],
  limits: { eventRate: '1', eventCount: '1' },
  partitions: 2,
  rotationHours: 24,
  keyRetentionDays: 365,
})

const derivedRequest = (name = 'clicks-1', from: 'now' | 'earliest' = 'now') => ({
  billingId: 'acme',
  name,
  linkedStream: 'clicks',
  tags: [],
  consentLevels: [1],
  consentLevelType: 'CUMULATIVE' as const,
  decrypterName: 'default',
  from,
})

const streamOf = ({ follower }: Memory, name = 'clicks') => follower.tables.stream('acme', name)

describe('an input stream', () => {
  test('is ready once its topic is there, with one credential for everything', async () => {
    const memory = memoryControl()
    const { stream, credential } = await createInput(memory.deps, inputRequest())
    expect(stream).toMatchObject({ state: 'ready', enabled: true, kind: 'input' })
    expect(streamOf(memory)).toEqual(stream)
    expect([...memory.kafka.topics.keys()]).toEqual(['acme.clicks'])
    expect(stream.credentials).toEqual([credential.credential])
    expect(credential.credential.scope).toEqual(['send', 'listen'])
    expect(credential.credential.secretHash).toBe(hashSecret(credential.clientSecret))
    expect(JSON.stringify(stream)).not.toContain(credential.clientSecret)
  })

  test('is not called dead where names have a prefix: another Weir may call its dead letters so', async () => {
    const memory = memoryControl()
    const shared = { ...memory.deps, kafkaPrefix: 'a.' }
    const dead = inputRequest('dead')
    await expect(createInput(shared, dead)).rejects.toMatchObject({ code: 'invalid_request' })
    await createInput(shared, inputRequest())
    await expect(createDerived(shared, derivedRequest('dead'))).rejects.toMatchObject({
      code: 'invalid_request',
    })
    await createInput(memory.deps, dead)
  })

  test('has the keys of this era and the next, each level of the contracts included', async () => {
    const memory = memoryControl()
    const prepared = {
      id: 'x',
      schemaText: '{}',
      validations: [],
      keyField: 'a',
      piiFields: { a: 3 },
    }
    const contract = {
      schemaRegistryRef: 'c-x/latest',
      subject: 'c-x',
      registryId: 1,
      registryVersion: 1,
    }
    await addContract(memory.deps, { billingId: 'acme', prepared, ...contract })
    const { stream } = await createInput(memory.deps, inputRequest())
    const era = eraAt(memory.deps.now())
    for (const each of [era, era + 1]) {
      const keys = memory.follower.keyring.eraKeys('acme', stream.streamId, each)
      expect(keys?.link).toBeDefined()
      expect(keys?.levelKey(3)).toBeDefined()
    }
    expect(memory.follower.keyring.eraKeys('acme', stream.streamId, era + 2)).toBeUndefined()
  })

  test('needs an account', async () => {
    const request = { ...inputRequest(), billingId: 'nobody' }
    await expect(createInput(memoryControl().deps, request)).rejects.toMatchObject({
      code: 'control-state.not_found',
    })
  })

  test('is refused for a name that is taken, in the making, or still being deleted', async () => {
    const memory = memoryControl()
    await createInput(memory.deps, inputRequest())
    const again = () => createInput(memory.deps, inputRequest())
    await expect(again()).rejects.toMatchObject({ code: 'control-state.name_taken' })
    await deleteStream(memory.deps, { billingId: 'acme', name: 'clicks', recursive: false })
    await expect(again()).rejects.toMatchObject({ code: 'control-state.being_deleted' })
  })

  test('leaves a topic alone that was there before, and its own name free', async () => {
    const memory = memoryControl()
    memory.kafka.topics.set('acme.clicks', [7n])
    await expect(createInput(memory.deps, inputRequest())).rejects.toMatchObject({
      code: 'topic_exists',
    })
    expect(streamOf(memory)).toBeUndefined()
    expect(memory.kafka.topics.get('acme.clicks')).toEqual([7n])
    expect(memory.kafka.calls).not.toContain('deleteTopic acme.clicks')
  })

  test('whose topic cannot be made is left to the clean-up at once', async () => {
    const memory = memoryControl()
    memory.kafka.fail('createTopic')
    await expect(createInput(memory.deps, inputRequest())).rejects.toMatchObject({
      code: 'kafka.unavailable',
    })
    expect(streamOf(memory)).toMatchObject({ state: 'deleting', neverReady: true })
    expect(memory.cleanUpsAsked()).toBe(1)
  })

  test('that was cleaned up while its topic was being made leaves no topic behind', async () => {
    const memory = memoryControl()
    const { topics } = memory.deps
    const slow: typeof topics = {
      ...topics,
      async make(stream) {
        const outcome = await topics.make(stream)
        await memory.deps.writer.change(given, (draft) => draft.put('stream/acme/clicks', null))
        return outcome
      },
    }
    const creation = createInput({ ...memory.deps, topics: slow }, inputRequest())
    await expect(creation).rejects.toMatchObject({ code: 'unavailable' })
    expect([...memory.kafka.topics.keys()]).toEqual([])
  })
})

describe('a derived stream', () => {
  const withInput = async (): Promise<Memory> => {
    const memory = memoryControl()
    await createInput(memory.deps, inputRequest())
    memory.kafka.topics.set('acme.clicks', [5n, 9n])
    return memory
  }

  /** Creates an input stream. Derivers of a former stream `d` have used their transactional ids. */
  const withDerivedBefore = async (): Promise<Memory> => {
    const memory = await withInput()
    for (const partition of [0, 1])
      await memory.kafka.admin.groups.fence(`weir.derive.acme.d.${partition}`)
    return memory
  }

  test.each([
    ['now' as const, ['5', '9']],
    ['earliest' as const, ['0', '0']],
  ])('from %s starts at offsets that stand in its record', async (from, startOffsets) => {
    const memory = await withInput()
    const { stream, credential } = await createDerived(memory.deps, derivedRequest('d', from))
    expect(stream).toMatchObject({ state: 'ready', startOffsets, partitions: 2 })
    expect(credential.credential.scope).toEqual(['listen'])
    expect([...memory.kafka.topics.keys()]).toEqual(['acme.clicks', 'acme.d', 'acme.d.dead'])
  })

  test('hangs on an input stream that is ready, and on no derived one', async () => {
    const memory = await withInput()
    await createDerived(memory.deps, derivedRequest('d'))
    for (const linkedStream of ['d', 'nothing'])
      await expect(
        createDerived(memory.deps, { ...derivedRequest('e'), linkedStream }),
      ).rejects.toMatchObject({ code: 'control-state.not_found' })
  })

  test('is undone when its input is deleted while it is being made', async () => {
    const memory = await withInput()
    const { topics } = memory.deps
    let isGone = false
    const meanwhile: typeof topics = {
      ...topics,
      async startOffsets(input, from) {
        if (!isGone)
          await deleteStream(memory.deps, { billingId: 'acme', name: 'clicks', recursive: true })
        isGone = true
        return topics.startOffsets(input, from)
      },
    }
    const creation = createDerived({ ...memory.deps, topics: meanwhile }, derivedRequest('d'))
    await expect(creation).rejects.toBeInstanceOf(AppError)
    expect(streamOf(memory, 'd')).toMatchObject({ state: 'deleting', neverReady: true })
  })

  const fencesOf = (memory: Memory) =>
    memory.kafka.calls.filter((call) => /^(createTopic acme.d|fence|acquire)/.test(call))

  test('of a name that nobody has had needs no more than to find out', async () => {
    const memory = await withInput()
    await createDerived(memory.deps, derivedRequest('d'))
    expect(fencesOf(memory)).toEqual([
      'createTopic acme.d',
      'createTopic acme.d.dead',
      'fence weir.derive.acme.d.0',
      'fence weir.derive.acme.d.1',
    ])
  })

  test('of a name that one had before is fenced in each partition before it is ready', async () => {
    const memory = await withDerivedBefore()
    await createDerived(memory.deps, derivedRequest('d'))
    expect(fencesOf(memory).slice(2)).toEqual([
      'createTopic acme.d',
      'createTopic acme.d.dead',
      'fence weir.derive.acme.d.0',
      'fence weir.derive.acme.d.1',
      'acquire weir.derive.acme.d.0',
      'acquire weir.derive.acme.d.1',
    ])
  })

  test.each([
    ['unavailable', 'kafka.unavailable'],
    ['fenced', 'unavailable'],
  ])('whose fence fails with %s is undone', async (fault, code) => {
    const memory = await withDerivedBefore()
    memory.kafka.fail('acquire', fault)
    const creation = createDerived(memory.deps, derivedRequest('d'))
    await expect(creation).rejects.toMatchObject({ code })
    expect(streamOf(memory, 'd')).toMatchObject({ state: 'deleting', neverReady: true })
    expect(memory.cleanUpsAsked()).toBe(1)
  })

  test('into which a former deriver wrote before the fence is refused, and what it wrote is left alone', async () => {
    const memory = await withDerivedBefore()
    const { topics } = memory.kafka
    const put = topics.set.bind(topics)
    topics.set = (topic, ends) => put(topic, topic === 'acme.d' ? [0n, 1n] : ends)
    const creation = createDerived(memory.deps, derivedRequest('d'))
    await expect(creation).rejects.toMatchObject({
      code: 'topic_exists',
      message: expect.stringContaining('acme.d '),
    })
    expect([...topics.keys()]).toEqual(['acme.clicks', 'acme.d'])
    expect(streamOf(memory, 'd')).toBeUndefined()
  })

  test('of which one topic was there before makes none of them', async () => {
    const memory = await withInput()
    memory.kafka.topics.set('acme.d.dead', [0n, 0n])
    await expect(createDerived(memory.deps, derivedRequest('d'))).rejects.toMatchObject({
      code: 'topic_exists',
    })
    expect([...memory.kafka.topics.keys()]).toEqual(['acme.clicks', 'acme.d.dead'])
    expect(streamOf(memory, 'd')).toBeUndefined()
  })
})
