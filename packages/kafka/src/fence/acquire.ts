// Makes the caller the only writer of some partitions that share a transactional id. From the fence's marker on, each
// partition refuses its former writers. The fence is complete only when its marker was read back from every partition;
// until then it is repeated. It writes only markers. If a former transaction is still open in a partition, the fence
// ends it there with the outcome that it has in the other partitions.
import { ProtocolError } from '#client-library'

import { createTurns, hasCode } from '@weir/kit'
import type { Turns } from '@weir/kit'

import { logEndOf } from '../connect/topic-calls.ts'
import { askBrokers } from '../connect/broker-calls.ts'
import type { KafkaBrokers } from '../connect/broker-calls.ts'
import type { Cluster } from '../connect/cluster.ts'
import { isFromBroker, isRetriable, protocolTypeOf } from '../connect/faults.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import type { Identity } from '../produce/identities.ts'
import { createPlaces } from '../produce/places.ts'
import type { Places } from '../produce/places.ts'
import { fencedBy, isFenced } from './fenced.ts'
import { findMarker } from './find-marker.ts'
import { findOpen, findProducer, wasCommitted } from './left-open.ts'
import type { OwnLog } from './left-open.ts'
import { requestsUntil } from './transaction-requests.ts'
import { untilDone } from './until-done.ts'
import { KafkaError } from '../errors.ts'

/** The partitions of one writer. */
export type OwnedLogs = {
  readonly partitions: readonly { readonly topic: string; readonly partition: number }[]
  /**
   * A header that has the same value on records of a transaction that belong together, in any of the partitions. If
   * Kafka left out a transaction's marker in one partition, this header helps to find its outcome in another one. This
   * works if the transaction has at most 2,000 records in each partition (left-open.ts). Without the header, open
   * transactions are aborted.
   */
  readonly linkHeader?: string
}

export type Acquiring = OwnedLogs & {
  readonly transactionalId: string
  /** At least 30 s, because a broker can delay transactions for so long if a partition is new or has no leader. */
  readonly deadlineMs: number
}

export type Acquired = {
  /** The identity for writing, from sequence 0 on. */
  readonly identity: Identity
  /** The offset of the fence's marker in each partition. All records of former writers are before it. */
  readonly markers: readonly bigint[]
  /**
   * Kafka has given the transactional id a new producer id, which isn't that of the partitions' former writer. That
   * writer is NOT fenced. The caller must make sure that it has stopped, and then acquire the partitions again.
   */
  readonly isNewIdentity: boolean
}

export type Fencer = {
  /**
   * Throws KafkaError `kafka.fenced` if another owner acquires the partitions meanwhile, `kafka.unavailable` after the
   * deadline, or `kafka.refused`.
   */
  acquire(acquiring: Acquiring): Promise<Acquired>
  /**
   * The next identity of an owner whose batches are all confirmed. Needed because Kafka forgets a transactional id that
   * isn't used for a week. Throws KafkaError `kafka.fenced` if another owner has acquired the partitions, or Kafka has
   * forgotten the id.
   */
  renew(transactionalId: string, identity: Identity): Promise<Identity>
  close(): void
}

// The first fence of a new id uses the epochs 0 and 1. A higher epoch shows that the id is older.
const FIRST_EPOCHS = 2
// How long a fence's transaction may stay open if the fence fails to end it. It contains no records of its own. But it
// may cover a former transaction's records that must be committed, and Kafka would abort these at the time-out. Before
// that, another owner must fence, which takes up to 12 s.
const TRANSACTION_TIMEOUT_MS = 60_000
const RENEW_WITHIN_MS = 15_000
const PLACES_TIMEOUT_MS = 3_000
// More fences would only wait for each other, longer than a response may take.
const AT_ONCE = 32
/** Errors that say that the partition has changed since its leader described it. */
const MOVED: readonly string[] = [
  'OFFSET_OUT_OF_RANGE',
  'UNKNOWN_TOPIC_ID',
  'INCONSISTENT_TOPIC_ID',
]

export function createFencer(kafka: Kafka): Fencer {
  const { cluster } = internalsOf(kafka)
  const leave = cluster.join()
  const inTurn = createTurns(AT_ONCE)
  const deps = { cluster, places: createPlaces(cluster, PLACES_TIMEOUT_MS), inTurn }

  return {
    acquire: (acquiring) => acquire(deps, acquiring),
    async renew(transactionalId, identity) {
      const what = 'renew the identity of a writer'
      const renewed = await untilDone({ what, deadlineMs: RENEW_WITHIN_MS }, (untilMs) =>
        inTurn(() => init({ cluster, transactionalId, untilMs }, identity)).catch(orFenced),
      )
      if (renewed.id !== identity.id) throw FORGOTTEN
      return renewed
    },
    close: leave,
  }
}

type Deps = { readonly cluster: Cluster; readonly places: Places; readonly inTurn: Turns }

/** The results of the attempts so far. */
type Known = {
  /** Whether none of the partitions contained records of other writers. */
  wasEmpty: boolean | undefined
  first: { readonly identity: Identity; readonly isNew: boolean } | undefined
  /** The number of identities that Kafka may have given us in responses that were lost. */
  lost: number
}

async function acquire(deps: Deps, acquiring: Acquiring): Promise<Acquired> {
  const known: Known = { wasEmpty: undefined, first: undefined, lost: 0 }
  const { deadlineMs } = acquiring
  return untilDone({ what: 'acquire partitions', deadlineMs }, (untilMs) =>
    deps.inTurn(() => attempt(deps, acquiring, { known, untilMs })).catch(passing),
  )
}

type Attempt = { readonly known: Known; readonly untilMs: number }

/** Undefined if the fence must be repeated. */
async function attempt(
  deps: Deps,
  { transactionalId, partitions, linkHeader }: Acquiring,
  { known, untilMs }: Attempt,
): Promise<Acquired | undefined> {
  const fencing = { cluster: deps.cluster, transactionalId, untilMs }
  const brokers = askBrokers(deps.cluster, 'control', () => untilMs)
  const logs = await findLogs(deps.places, partitions)
  // Also ensures that the leaders have the logs. A marker for a missing log would delay the transactions of others.
  const ends = await Promise.all(logs.map((log) => logEndOf(brokers, log.topic, log)))
  known.wasEmpty ??= ends.every((end) => end === 0n)
  await endInterrupted(brokers, fencing, { logs, linkHeader })
  const fence = await take(fencing, known)
  const holder = { producerId: fence.id, producerEpoch: fence.epoch }
  const isCommit = await wasCommitted(brokers, await findOpen(brokers, logs), {
    holder,
    linkHeader,
  })
  const identity = await mark(fencing, { fence, partitions, isCommit })
  const finding = logs.map((log, at) =>
    findMarker(brokers, log, { from: ends[at] ?? 0n, identity: fence }),
  )
  const markers = (await Promise.all(finding)).filter((offset) => offset !== undefined)
  if (markers.length < logs.length) return undefined
  return { identity, markers, isNewIdentity: isNew(known, fence) }
}

async function findLogs(places: Places, partitions: Acquiring['partitions']): Promise<OwnLog[]> {
  await Promise.all(partitions.map(({ topic }) => places.refresh(topic)))
  return partitions.map(({ topic, partition }) => {
    const place = places.find(topic, partition)
    if (place === undefined) throw new ProtocolError('LEADER_NOT_AVAILABLE')
    return { ...place, topic, partition }
  })
}

type Fencing = {
  readonly cluster: Cluster
  readonly transactionalId: string
  readonly untilMs: number
}

/**
 * A fence that ends a committed transaction may have been interrupted before its own commit. Acquiring the
 * transactional id now would abort the fence, and the committed transaction with it. So the fence is committed first.
 */
async function endInterrupted(
  brokers: KafkaBrokers,
  { cluster, transactionalId, untilMs }: Fencing,
  {
    logs,
    linkHeader,
  }: { readonly logs: readonly OwnLog[]; readonly linkHeader: string | undefined },
): Promise<void> {
  const open = await findOpen(brokers, logs)
  if (open.every(({ begins }) => begins.size === 0)) return
  const former = await findProducer(brokers, transactionalId)
  if (!former?.isOngoing) return
  if (!(await wasCommitted(brokers, open, { holder: former, linkHeader }))) return
  try {
    await requestsUntil(cluster, untilMs).end({ transactionalId, ...former }, true)
  } catch (error) {
    // After any other error, another owner has ended the transaction, or has acquired the id.
    if (!isFromBroker(error) || isRetriable(error)) throw error
  }
}

/** Gets the identity for the marker. Ends the open transaction of the transactional id's former owner. */
async function take(fencing: Fencing, known: Known): Promise<Identity> {
  try {
    const identity = await init(fencing)
    known.first ??= { identity, isNew: identity.epoch < FIRST_EPOCHS + known.lost }
    return identity
  } catch (error) {
    if (!isFromBroker(error) && !hasCode(error, 'kafka.not_sent')) known.lost += 1
    throw error
  }
}

type Marking = Pick<Acquiring, 'partitions'> & {
  readonly fence: Identity
  /** Whether the fence commits the transaction that is open in the partitions. */
  readonly isCommit: boolean
}

/** Writes the marker into the partitions, and returns the identity for writing. */
async function mark(fencing: Fencing, marking: Marking): Promise<Identity> {
  const { fence, partitions, isCommit } = marking
  const { cluster, transactionalId, untilMs } = fencing
  const requests = requestsUntil(cluster, untilMs)
  const producer = { transactionalId, producerId: fence.id, producerEpoch: fence.epoch }
  const topics = partitions.map(({ topic, partition }) => ({ topic, partitions: [partition] }))
  await requests.addPartitions(producer, topics)
  await requests.end(producer, isCommit)
  // Uses the marker's own identity. If another fence came in between, Kafka refuses this, because the other fence's
  // creator is the owner.
  return init(fencing, fence)
}

async function init(
  { cluster, transactionalId, untilMs }: Fencing,
  own?: Identity,
): Promise<Identity> {
  const producer = own && { producerId: own.id, producerEpoch: own.epoch }
  const requests = requestsUntil(cluster, untilMs)
  const given = await requests.init(transactionalId, TRANSACTION_TIMEOUT_MS, producer)
  return { id: given.producerId, epoch: given.producerEpoch }
}

/**
 * If the producer id changes between two attempts, and the first one left no marker in a partition, the writer with the
 * former id isn't fenced there.
 */
const isNew = ({ wasEmpty, first }: Known, fence: Identity): boolean =>
  wasEmpty === false && first !== undefined && (first.isNew || first.identity.id !== fence.id)

function orFenced(error: unknown): never {
  throw isFenced(error) ? fencedBy(error) : error
}

/** For `catch`: undefined if the partition has changed since its leader described it. Throws any other error. */
function passing(error: unknown): undefined {
  if (!MOVED.includes(protocolTypeOf(error) ?? '')) return orFenced(error)
  return undefined
}

const FORGOTTEN = new KafkaError(
  'kafka.fenced',
  'Kafka has forgotten which producer this writer had fenced',
)
