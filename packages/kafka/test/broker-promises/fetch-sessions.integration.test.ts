// In an incremental fetch session, a request contains only changes, and a response only partitions with records or
// errors.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { apiVersionsV3, fetchV12, ResponseError } from '@platformatic/kafka'
import type { Connection } from '@platformatic/kafka'

import { startOwnBroker } from '../support-broker.ts'
import type { OwnBroker } from '../support-broker.ts'
import { connectTo, eventually, openCluster, refusal } from './cluster.ts'
import type { Cluster, Place } from './cluster.ts'
import { batchOf, produce } from './log.ts'
import { openTopics } from './topics.ts'
import type { Topics } from './topics.ts'
import { initProducerId } from './transactions.ts'

let broker: OwnBroker
let cluster: Cluster
let topics: Topics

// Kafka divides the sessions among eight caches.
const SESSIONS_MAX = 16

beforeAll(async () => {
  broker = await startOwnBroker({ 'max.incremental.fetch.session.cache.slots': SESSIONS_MAX })
  cluster = openCluster(broker.brokers)
  topics = openTopics(broker.brokers)
})

afterAll(async () => {
  await topics.close()
  await cluster.close()
  await broker.stop()
})

type Session = { readonly id: number; readonly epoch: number }

type FetchOptions = {
  readonly waitMs?: number
  readonly session?: Session
  readonly add?: readonly (Place & { readonly from: bigint })[]
  readonly forget?: readonly Place[]
}

const NEW_SESSION: Session = { id: 0, epoch: 0 }

/** Returns the session, the time, and the partitions with records or an error. */
async function fetch(connection: Connection, options: FetchOptions) {
  const { waitMs = 0, session = NEW_SESSION, add = [], forget = [] } = options
  const wanted = add.map(({ topic, partition, from: fetchOffset }) => {
    const asked = { partition, currentLeaderEpoch: -1, fetchOffset, lastFetchedEpoch: -1 }
    return { topicId: topic, partitions: [{ ...asked, partitionMaxBytes: 1_000_000 }] }
  })
  const left = forget.map(({ topic, partition }) => ({ topic, partitions: [partition] }))
  const started = performance.now()
  const answer = await fetchV12.api
    .async(connection, waitMs, 1, 10_000_000, 0, session.id, session.epoch, wanted, left, '')
    .catch(responseIn)
  return {
    session: { id: answer.sessionId, epoch: session.epoch + 1 },
    tookMs: performance.now() - started,
    partitions: answer.responses
      .flatMap(({ topicId: topic, partitions }) => partitions.map((one) => ({ ...one, topic })))
      .map(({ topic, partitionIndex: partition, errorCode, records }) => {
        const values = (records ?? []).flatMap((batch) => batch.records.map(textOf))
        return { topic, partition, errorCode, values }
      })
      .filter(({ errorCode, values }) => errorCode !== 0 || values.length > 0),
  }
}

const textOf = ({ value }: { value: Buffer | null }): string => String(value)

/** Opens a session over these partitions. Retries until the broker leads those that exist. */
const open = (connection: Connection, wanted: readonly Place[]) =>
  eventually('a session', async () => {
    const { session, partitions } = await fetch(connection, { add: wanted.map(atStart) })
    if (partitions.some(({ errorCode }) => errorCode === NOT_LEADER)) throw new Error('too early')
    return session
  })

/** The client throws if one partition has an error. The error contains the whole response. */
function responseIn(error: unknown): fetchV12.FetchResponse {
  if (error instanceof ResponseError) return error['response']
  throw error
}

const places = async (partitions: number): Promise<Place[]> => {
  const topic = await topics.make('session', { partitions })
  return Array.from({ length: partitions }, (_, partition) => ({ topic, partition }))
}

const atStart = (place: Place) => ({ ...place, from: 0n })

async function writeTo(place: Place, value: string): Promise<void> {
  const producer = await initProducerId(cluster, null)
  await produce(cluster, place, batchOf([value], { producer, sequence: 0 }))
}

const UNKNOWN_TOPIC = 3
const NOT_LEADER = 6
const OFFSET_OUT_OF_RANGE = 1

test('a session answers only with the partitions that have something new', async () => {
  const [one, other] = await places(2)
  if (one === undefined || other === undefined) throw new Error('no places')
  const connection = await connectTo(broker.brokers[0] ?? '', 'reader')
  const opened = await open(connection, [one, other])
  expect(opened.id).not.toBe(0)
  const waiting = fetch(connection, { session: opened, waitMs: 30_000 })
  await writeTo(other, 'a')
  const { partitions, session } = await waiting
  expect(partitions).toMatchObject([{ ...other, values: ['a'] }])
  // The broker returns the same records until it gets the next position.
  const again = await fetch(connection, { session })
  expect(again.partitions).toMatchObject([{ ...other, values: ['a'] }])
  const next = { session: again.session, add: [{ ...other, from: 1n }] }
  expect((await fetch(connection, next)).partitions).toEqual([])
  await connection.close()
})

const WAIT_MS = 10_000

test('a partition in which reading fails makes each fetch return at once, until it leaves the session', async () => {
  const [good, failing] = await places(2)
  if (good === undefined || failing === undefined) throw new Error('no places')
  const connection = await cluster.leader(good)
  let session = await open(connection, [good, failing])
  const add = [{ ...failing, from: 100n }]
  for (const more of [{ add }, {}, {}]) {
    const answer = await fetch(connection, { session, waitMs: WAIT_MS, ...more })
    expect(answer.partitions).toMatchObject([{ ...failing, errorCode: OFFSET_OUT_OF_RANGE }])
    expect(answer.tookMs).toBeLessThan(WAIT_MS / 2)
    session = answer.session
  }
  const without = await fetch(connection, { session, forget: [failing], waitMs: 700 })
  expect(without.partitions).toEqual([])
  expect(without.tookMs).toBeGreaterThan(690)
})

test('a topic that is unknown waits with the others, and is told each time', async () => {
  const [good] = await places(1)
  const gone = { topic: 'never-was', partition: 0 }
  if (good === undefined) throw new Error('no place')
  const connection = await cluster.leader(good)
  const session = await open(connection, [good, gone])
  const answer = await fetch(connection, { session, waitMs: 700 })
  expect(answer.partitions).toMatchObject([{ ...gone, errorCode: UNKNOWN_TOPIC }])
  expect(answer.tookMs).toBeGreaterThan(690)
})

test('a fetch that waits holds up all that comes after it on its connection', async () => {
  const [one] = await places(1)
  if (one === undefined) throw new Error('no place')
  const connection = await connectTo(broker.brokers[0] ?? '', 'waits')
  const session = await open(connection, [one])
  const waiting = fetch(connection, { session, waitMs: 700 })
  const started = performance.now()
  await apiVersionsV3.api.async(connection, 'waits', '1')
  expect(performance.now() - started).toBeGreaterThan(500)
  await waiting
  await connection.close()
})

test('a session with another epoch, or of another id, is refused as such', async () => {
  const [one] = await places(1)
  if (one === undefined) throw new Error('no place')
  const connection = await cluster.leader(one)
  const session = await open(connection, [one])
  const ask = ({ id, epoch }: Session) =>
    refusal(fetchV12.api.async(connection, 0, 1, 1_000, 0, id, epoch, [], [], ''))
  expect(await ask({ ...session, epoch: 7 })).toBe('INVALID_FETCH_SESSION_EPOCH')
  expect(await ask({ id: session.id ^ 1, epoch: 1 })).toBe('FETCH_SESSION_ID_NOT_FOUND')
})

test('where there is no room for another session its id is 0, and the answer is whole', async () => {
  const [one] = await places(1)
  if (one === undefined) throw new Error('no place')
  await writeTo(one, 'a')
  const connection = await cluster.leader(one)
  const ids: number[] = []
  for (let count = 0; count < 3 * SESSIONS_MAX; count++) {
    const { session, partitions } = await fetch(connection, { add: [atStart(one)] })
    expect(partitions).toMatchObject([{ ...one, values: ['a'] }])
    ids.push(session.id)
  }
  expect(ids.filter((id) => id !== 0).length).toBeLessThanOrEqual(SESSIONS_MAX)
})
