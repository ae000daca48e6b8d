// Makes the caller the only writer of some partitions that share a transactional id. A fence writes a marker to each
// partition, and no records. After the marker, a partition refuses former writers. The fence is repeated until its
// marker was read back from every partition. If a former writer's transaction is still open in a partition, the fence
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

export type OwnedLogs = {
  readonly partitions: readonly { readonly topic: string; readonly partition: number }[]
  /**
   * The name of a header that has the same value on related records of a transaction in different partitions. If a
   * transaction's marker is missing in one partition, this header helps to find the outcome in another partition. The
   * transaction must span at most 2,000 offsets in each partition (left-open.ts). Without the header, open transactions
   * are aborted.
   */
  readonly linkHeader?: string
}

export type Acquiring = OwnedLogs & {
  readonly transactionalId: string
  /**
   * Should be 30 s or more, because a broker can delay transactions for that long if a partition is new or has no
   * leader.
   */
  readonly deadlineMs: number
}

export type Acquired = {
  /** The producer identity for writing. Its sequence numbers start at 0. */
  readonly identity: Identity
  /** The offset of the fence's marker in each partition. All records of former writers are before it. */
  readonly markers: readonly bigint[]
  /**
   * True if Kafka may have given the transactional id another producer id than the partitions' former writer had. If
   * so, that writer is NOT fenced. The caller must make sure that the writer has stopped, and then acquire the
   * partitions again.
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
   * Returns the next identity of an owner. All batches of the owner must be acknowledged before. Renew in time, because
   * Kafka forgets a transactional id that isn't used for a week. Throws KafkaError `kafka.fenced` if another owner has
   * acquired the partitions, or Kafka has forgotten the id.
   */
  renew(transactionalId: string, identity: Identity): Promise<Identity>
  close(): void
}

// The first fence of a new transactional id uses the epochs 0 and 1. A higher epoch shows that the id was used before.
const FIRST_EPOCHS = 2
// How long a fence's transaction may stay open if the fence fails to end it. The transaction may include records of a
// former transaction that must be committed. At the time-out, Kafka would abort these records. Before the time-out,
// another owner must fence the partitions, which takes up to 12 s.
const TRANSACTION_TIMEOUT_MS = 60_000
const RENEW_WITHIN_MS = 15_000
const PLACES_TIMEOUT_MS = 3_000
// More fences at the same time would wait for each other, longer than a response may take.
const AT_ONCE = 32
/** Errors which mean that the partition has changed since its leader described it. */
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
  /** Whether all partitions were empty before the first fence. */
  wasEmpty: boolean | undefined
  first: { readonly identity: Identity; readonly isNew: boolean } | undefined
  /** The number of identities that Kafka may have given us in lost responses. */
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

/** Returns undefined if the fence must be repeated. */
async function attempt(
  deps: Deps,
  { transactionalId, partitions, linkHeader }: Acquiring,
  { known, untilMs }: Attempt,
): Promise<Acquired | undefined> {
  const fencing = { cluster: deps.cluster, transactionalId, untilMs }
  const brokers = askBrokers(deps.cluster, 'control', () => untilMs)
  const logs = await findLogs(deps.places, partitions)
  // Also ensures that the leaders have the logs. A marker for a missing log would delay the transactions of other
  // producers.
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
 * Commits an interrupted fence of a former owner, if that fence includes a committed transaction. Without this commit,
 * acquiring the transactional id would abort the fence, and the transaction with it.
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
    // A final error of the broker: another owner has ended the transaction, or has acquired the id.
    if (!isFromBroker(error) || isRetriable(error)) throw error
  }
}

/** Gets the identity for the marker. This ends the open transaction of the transactional id's former owner. */
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
  // Kafka refuses the marker's identity if another owner has fenced since.
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
 * If the producer id changes between two attempts, the first attempt may have left no marker in a partition. There, a
 * writer with the former id isn't fenced.
 */
const isNew = ({ wasEmpty, first }: Known, fence: Identity): boolean =>
  wasEmpty === false && first !== undefined && (first.isNew || first.identity.id !== fence.id)

function orFenced(error: unknown): never {
  throw isFenced(error) ? fencedBy(error) : error
}

/**
 * For `catch`: returns undefined if the partition has changed since its leader described it. Throws any other error.
 */
function passing(error: unknown): undefined {
  if (!MOVED.includes(protocolTypeOf(error) ?? '')) return orFenced(error)
  return undefined
}

const FORGOTTEN = new KafkaError(
  'kafka.fenced',
  'Kafka has forgotten which producer this writer had fenced',
)
