// The usual way to derive exactly once is one transaction for all derived partitions of an input partition. If one of
// them has no leader at the commit, Kafka 3.9 and 4.0 delay further transactions. Kafka 4.3.1 writes no marker to this
// partition. If a later transaction in it is aborted, the abort marker also aborts the committed record (KAFKA-20734).
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import {
  addPartitionsToTxnV3,
  apiVersionsV3,
  createAPI,
  endTxnV3,
  protocolErrorsCodesById,
  Writer,
} from '@platformatic/kafka'
import type { Reader } from '@platformatic/kafka'

import { pollUntil } from '@weir/kit'

import { eventually, newTransactionalId, openCluster, refusal } from '../cluster.ts'
import type { Cluster, Place } from '../cluster.ts'
import { batchOf, produceInTransaction, produceOn, readLog } from '../log.ts'
import { openTopics } from '../topics.ts'
import type { Topics } from '../topics.ts'
import { initProducerId } from '../transactions.ts'
import type { Identity } from '../transactions.ts'
import { FIRST, SECOND, startTwoBrokers } from '../two-brokers.ts'
import type { TwoBrokers } from '../two-brokers.ts'

let both: TwoBrokers
let cluster: Cluster
let topics: Topics

beforeAll(async () => {
  both = await startTwoBrokers()
  cluster = openCluster(both.brokers)
  topics = openTopics(both.brokers)
}, 180_000)

afterAll(async () => {
  await topics.close()
  await cluster.close()
  await both.stop()
})

/** The successive transactions of one producer. */
type Transactions = {
  /** Writes one record. Returns the error of the first response. */
  write(place: Place): Promise<string>
  /** Returns the error of the first response. */
  end(outcome: 'commit' | 'abort'): Promise<string>
}

async function explicit(): Promise<Transactions> {
  const id = newTransactionalId()
  const producer = await initProducerId(cluster, id)
  const asked = { transactionalId: id, producerId: producer.id, producerEpoch: producer.epoch }
  const coordinator = () => cluster.coordinator('transaction', id)
  const sequences = createSequences()
  return {
    async write(place) {
      const topic = { name: place.topic, partitions: [place.partition] }
      const transaction = { ...asked, verifyOnly: false, topics: [topic] }
      const added = await refusal(
        addPartitionsToTxnV3.api.async(await coordinator(), [transaction]),
      )
      if (added !== 'NONE') return added
      const request = {
        ...place,
        batch: record(producer, sequences.of(place)),
        transactionalId: id,
      }
      return sequences.noted(place, (await produceOn(await cluster.leader(place), request)).error)
    },
    async end(outcome) {
      const { id: producerId, epoch } = producer
      const isCommit = outcome === 'commit'
      return refusal(endTxnV3.api.async(await coordinator(), id, producerId, epoch, isCommit))
    },
  }
}

const END_TXN = 26

/** Returns the next transaction's epoch, because each transaction has its own (KIP-890). */
const endTxnV5 = createAPI<[string, Identity, boolean], { error: string; next: Identity }>(
  END_TXN,
  5,
  (transactionalId, { id, epoch }, isCommit) =>
    Writer.create()
      .appendString(transactionalId)
      .appendInt64(id)
      .appendInt16(epoch)
      .appendBoolean(isCommit)
      .appendTaggedFields(),
  (_correlation: number, _key: number, _version: number, reader: Reader) => {
    reader.readInt32()
    const error = protocolErrorsCodesById[reader.readInt16()] ?? 'not known'
    return { error, next: { id: reader.readInt64(), epoch: reader.readInt16() } }
  },
)

async function implicit(): Promise<Transactions> {
  const id = newTransactionalId()
  let producer = await initProducerId(cluster, id)
  let sequences = createSequences()
  return {
    async write(place) {
      const request = {
        ...place,
        batch: record(producer, sequences.of(place)),
        transactionalId: id,
      }
      const produced = await produceInTransaction(await cluster.leader(place), request)
      return sequences.noted(place, produced.error)
    },
    async end(outcome) {
      const coordinator = await cluster.coordinator('transaction', id)
      const { error, next } = await endTxnV5.async(coordinator, id, producer, outcome === 'commit')
      if (error !== 'NONE') return error
      producer = next
      sequences = createSequences()
      return error
    },
  }
}

const record = (producer: Identity, sequence: number): Buffer =>
  batchOf(['a'], { producer, sequence, isTransactional: true })

function createSequences() {
  const next = new Map<string, number>()
  return {
    of: ({ topic }: Place): number => next.get(topic) ?? 0,
    noted(place: Place, error: string): string {
      if (error === 'NONE') next.set(place.topic, this.of(place) + 1)
      return error
    },
  }
}

const PRODUCE = 0
const IMPLICIT_FROM = 12

async function hasImplicit(): Promise<boolean> {
  const connection = await cluster.at(both.brokers[0] ?? '')
  const { apiKeys } = await apiVersionsV3.api.async(connection, 'broker-promises', '1')
  return (apiKeys.find(({ apiKey }) => apiKey === PRODUCE)?.maxVersion ?? 0) >= IMPLICIT_FROM
}

const WAITS_MS = 5_000
const BACK_WITHIN_MS = 60_000

/** Returns whether a record can be written within this time. */
const goesOn = (write: () => Promise<string>, deadlineMs: number): Promise<boolean> =>
  pollUntil(async () => (await write()) === 'NONE', { deadlineMs, everyMs: 100 }).then(
    () => true,
    () => false,
  )

const markersOf = async (place: Place): Promise<string[]> =>
  (await readLog(cluster, place)).flatMap(({ marker }) => marker ?? [])

test.each(['explicit', 'implicit'])(
  'a partition without a leader at the commit, by %s transactions: all others wait, or it loses what was committed',
  async (version) => {
    // Kafka 3.9 has only explicit transactions.
    const open = version === 'implicit' && (await hasImplicit()) ? implicit : explicit
    const here = { topic: await topics.make('here', { replicas: [FIRST] }), partition: 0 }
    const there = { topic: await topics.make('there', { replicas: [SECOND] }), partition: 0 }
    const { write, end } = await open()
    expect([await write(here), await write(there)]).toEqual(['NONE', 'NONE'])
    await both.second.killBroker()
    await eventually('no leader', async () => {
      if ((await refusal(cluster.at(both.brokers[1] ?? ''))) === 'NONE') throw new Error('not yet')
    })
    expect(await end('commit')).toBe('NONE')
    const isLost = await goesOn(() => write(here), WAITS_MS)
    await both.second.restartBroker()
    expect(await goesOn(() => write(there), BACK_WITHIN_MS)).toBe(true)
    expect(await end('abort')).toBe('NONE')
    const first = await pollUntil(async () => (await markersOf(there)).at(0), {
      deadlineMs: BACK_WITHIN_MS,
    })
    expect({ isLost, first }).toEqual({ isLost, first: isLost ? 'abort' : 'commit' })
  },
  180_000,
)
