// Tests requests to a broker that is too old, that throttles, or that leaves a request unanswered.
import { afterEach, expect, jest, test } from '@jest/globals'

import { createAdmin } from '../../src/admin/admin.ts'
import type { Admin, AdminOptions } from '../../src/admin/admin.ts'
import { createKafka } from '../../src/connect/client.ts'
import { log } from '../support.ts'
import { startListedBroker } from './listed-broker.ts'
import type { ListedBroker, ListedBrokerOptions } from './listed-broker.ts'

jest.setTimeout(90_000)

const cleanUps: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

async function start(options: ListedBrokerOptions): Promise<ListedBroker> {
  const broker = await startListedBroker(options)
  cleanUps.push(broker.close)
  return broker
}

function adminOf({ address }: ListedBroker, options: AdminOptions = {}): Admin {
  const kafka = createKafka({ brokers: [address], clientId: 'weir-test', log })
  const admin = createAdmin(kafka, options)
  cleanUps.push(() => admin.close())
  return admin
}

test.each([
  [{ metadataMax: 4 }, /it lacks Metadata in version 12/],
  [{ apiVersionsMax: 2 }, /it lacks ApiVersions in version 3/],
])('a broker with %j is refused at once, by what is missing', async (options, message) => {
  const admin = adminOf(await start(options))

  await expect(admin.topics.exists('orders')).rejects.toMatchObject({
    code: 'kafka.unsupported_broker',
    message: expect.stringMatching(message),
  })
})

test('a broker that throttles us is sent nothing meanwhile, and what expires then is never sent', async () => {
  // Given
  const throttleMs = 1_500
  const isFirst = (topics: readonly string[]) => topics.includes('first')
  const broker = await start({
    reply: ({ topics }) => ({ throttleMs: isFirst(topics) ? throttleMs : 0 }),
  })
  const kafka = createKafka({ brokers: [broker.address], clientId: 'weir-test', log })
  const [patient, hasty] = [createAdmin(kafka), createAdmin(kafka, { deadlineMs: 200 })]
  cleanUps.push(patient.close, hasty.close)
  await patient.topics.partitionCount('first')

  // When
  const expired = hasty.topics.partitionCount('expired')
  const next = patient.topics.partitionCount('next')

  // Then
  await expect(expired).rejects.toMatchObject({ code: 'kafka.unavailable' })
  await next
  const names = broker.asked.map(({ topics }) => topics.join())
  expect(names).toEqual(['first', 'next'])
  const [first, second] = broker.asked.map(({ atMs }) => atMs)
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(throttleMs - 50)
})

test('a request that gets no answer takes its connection along, and all that waited are asked anew', async () => {
  // Given
  let unanswered = 2
  const broker = await start({
    reply: ({ topics }) => (topics.length > 0 && unanswered-- > 0 ? 'silence' : { throttleMs: 0 }),
  })
  const admin = adminOf(broker, { deadlineMs: 60_000 })

  // When
  const counts = await Promise.all(
    ['slow', 'behind'].map((topic) => admin.topics.partitionCount(topic)),
  )

  // Then
  expect(counts).toEqual([0, 0])
  const of = (connection: number) => broker.asked.filter((one) => one.connection === connection)
  const [before, after] = [1, 2].map((connection) => of(connection).flatMap(({ topics }) => topics))
  expect(before).toEqual(['slow', 'behind'])
  expect(after?.toSorted()).toEqual(['behind', 'slow'])
  expect(await admin.topics.partitionCount('later')).toBe(0)
})
