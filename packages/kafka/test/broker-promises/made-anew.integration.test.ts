// A batch arrives after its topic was deleted and created again. Kafka refuses the batch only after a fence, or if the
// request contains the old topic's id.
import { expect, test } from '@jest/globals'
import { apiVersionsV3 } from '@platformatic/kafka'

import { BROKERS, uniqueName } from '../support.ts'
import { eventually, newTransactionalId } from './cluster.ts'
import type { Place } from './cluster.ts'
import { batchOf, produce, produceById, readLog, valuesOf } from './log.ts'
import { useSharedBroker } from '../shared-broker.ts'
import { fence } from './transactions.ts'
import type { Identity } from './transactions.ts'

const { cluster, topics } = useSharedBroker()

const write = (place: Place, producer: Identity, sequence: number, ...values: string[]) =>
  produce(cluster, place, batchOf(values, { producer, sequence }))

/** Writes a topic up to sequence 56, then deletes and recreates it. Returns the writer and the old topic's id. */
async function makeAnew(id: string) {
  const place = { topic: uniqueName('anew'), partition: 0 }
  await topics.makeNamed(place.topic)
  const { owner } = await fence(cluster, id, [place])
  await write(place, owner, 0, ...Array.from({ length: 57 }, (_, at) => `old ${at}`))
  const oldId = await cluster.topicId(place.topic)
  await topics.delete(place.topic)
  await eventually('the new topic', () => topics.makeNamed(place.topic))
  await eventually('its id', async () => {
    if ((await cluster.topicId(place.topic)) === oldId) throw new Error('still the old one')
  })
  return { place, owner, oldId }
}

test('without a fence the new topic takes a batch of the old one, whatever its sequence', async () => {
  const { place, owner } = await makeAnew(newTransactionalId())
  expect(await write(place, owner, 57, 'late')).toMatchObject({ error: 'NONE', offset: 0n })
  expect(valuesOf(await readLog(cluster, place))).toEqual(['late'])
})

test('a fence of the new topic under the same transactional id keeps them out', async () => {
  const id = newTransactionalId()
  const { place, owner: former } = await makeAnew(id)
  const { owner } = await fence(cluster, id, [place])
  expect((await write(place, former, 57, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
  expect((await write(place, former, 0, 'late')).error).toBe('INVALID_PRODUCER_EPOCH')
  expect((await write(place, owner, 0, 'new')).error).toBe('NONE')
  expect(valuesOf(await readLog(cluster, place))).toEqual(['new'])
})

const PRODUCE = 0
const WITH_IDS = 13

async function produceVersionMax(): Promise<number> {
  const connection = await cluster.at(BROKERS[0] ?? '')
  const { apiKeys } = await apiVersionsV3.api.async(connection, 'broker-promises', '1')
  return apiKeys.find(({ apiKey }) => apiKey === PRODUCE)?.maxVersion ?? 0
}

test('from Kafka 4.1 on Produce takes topic ids, and refuses a batch for the id of the old topic', async () => {
  const { place, owner, oldId } = await makeAnew(newTransactionalId())
  const takesIds = (await produceVersionMax()) >= WITH_IDS
  const batch = batchOf(['late'], { producer: owner, sequence: 57 })
  const connection = await cluster.leader(place)
  const errorFor = async (topic: string) =>
    takesIds ? (await produceById(connection, { topic, partition: 0, batch })).error : 'too old'
  expect(await errorFor(oldId)).toBe(takesIds ? 'UNKNOWN_TOPIC_ID' : 'too old')
  expect(await errorFor(await cluster.topicId(place.topic))).toBe(takesIds ? 'NONE' : 'too old')
})
