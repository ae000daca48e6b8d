// The functions for partition owners, with two handles on one broker that differ only in the prefix.
import { afterAll, beforeAll, expect, test } from '@jest/globals'

import {
  createAdmin,
  createAppender,
  createFencer,
  createKafka,
  createLogSearch,
  createPositions,
  encodeRecord,
} from '../../src/index.ts'
import { BROKERS, log, uniqueName } from '../support.ts'

const open = (prefix: string) => {
  const kafka = createKafka({ brokers: BROKERS, prefix, clientId: 'weir-test', log })
  return { kafka, admin: createAdmin(kafka), fencer: createFencer(kafka) }
}
const outer = `${uniqueName('p')}.`
const [one, other] = [open(outer), open(`${outer}b.`)]
const partitions = [{ topic: 'in', partition: 0 }]

beforeAll(async () => {
  for (const { admin } of [one, other]) await admin.topics.create({ topic: 'in', partitions: 1 })
})

afterAll(async () => {
  for (const { admin, fencer } of [one, other]) {
    await admin.topics.delete('in')
    await admin.close()
    fencer.close()
  }
})

test('one acquires and searches its own partition, and fences no other', async () => {
  const acquiring = { transactionalId: 'owner', partitions, deadlineMs: 60_000 }
  const mine = await one.fencer.acquire(acquiring)
  const theirs = await other.fencer.acquire(acquiring)
  expect(mine.identity.id).not.toBe(theirs.identity.id)
  const identity = await one.fencer.renew('owner', mine.identity)

  const appender = createAppender(one.kafka)
  const lane = appender.lane({ topic: 'in', partition: 0, identity })
  const [key, headers, timestampMs] = [null, {}, Date.now()]
  await lane.append([encodeRecord({ key, value: Buffer.from('mine'), headers, timestampMs })])
  lane.close()
  appender.close()
  const found = [one, other].map(async ({ kafka, fencer }) => {
    const search = createLogSearch(kafka)
    const [to = 0n] = (await fencer.acquire(acquiring)).markers
    const last = await search.findLast({ topic: 'in', partition: 0, to }, ({ value }) => value)
    await search.close()
    return last?.toString()
  })
  expect(await Promise.all(found)).toEqual(['mine', undefined])
})

test('positions are of the own groups and topics', async () => {
  const [own, foreign] = [createPositions(one.kafka), createPositions(other.kafka)]
  const committed = { topic: 'in', partition: 0, offset: 1n, metadata: 'm' }
  const unknown = { ...committed, topic: 'never' }
  expect(await own.commit('positions', [committed, unknown])).toEqual([unknown])
  const groups = [{ groupId: 'positions', partitions }]
  expect(await own.read(groups)).toEqual(new Map([['positions', [committed]]]))
  expect(await foreign.read(groups)).toEqual(new Map([['positions', []]]))
  expect(await one.admin.groups.delete('positions')).toBe('deleted')
  await Promise.all([own.close(), foreign.close()])
})
