// Makes the caller the one writer of some partitions that share a transactional id: from a marker on, each partition
// refuses its former writers. The fence is complete only once its own marker was read back from every partition; until
// then it is repeated. It writes only markers. What a former transaction left open there is ended as the rest of that
// transaction was.
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

/** Partitions that have one writer. */
export type OwnedLogs = {
  readonly partitions: readonly { readonly topic: string; readonly partition: number }[]
  /**
   * A header with the same value on those records of a transaction that belong together, in any of the partitions. It
   * finds in another partition the marker that one partition lacks, if the transaction has at most 2,000 records in
   * each (left-open.ts). Without it open transactions are aborted.
   */
  readonly linkHeader?: string
}

export type Acquiring = OwnedLogs & {
  readonly transactionalId: string
  /** While a partition has no leader, or was just created, a broker can delay all its transactions for 30 s. */
  readonly deadlineMs: number
}

export type Acquired = {
  /** The identity to write under, from sequence 0 on. */
  readonly identity: Identity
  /** The offset of the fence's marker in each partition: others wrote all before it, and can write no more. */
  readonly markers: readonly bigint[]
  /**
   * Kafka has given the transactional id another producer id than the one that may have written the partitions. That
   * former writer is NOT fenced: it must have stopped before, and then the partitions are to be acquired again.
   */
  readonly isNewIdentity: boolean
}

export type Fencer = {
  /**
   * Throws KafkaError `kafka.fenced` when another owner acquires them meanwhile, `kafka.unavailable` after the
   * deadline, or `kafka.refused`.
   */
  acquire(acquiring: Acquiring): Promise<Acquired>
  /**
   * The next identity of an owner whose batches have all been answered: Kafka forgets a transactional id that isn't
   * used for a week. Throws KafkaError `kafka.fenced` when another owner has acquired the partitions, or the id was
   * forgotten.
   */
  renew(transactionalId: string, identity: Identity): Promise<Identity>
  close(): void
}

// The first fence of a new id uses the epochs 0 and 1, so a higher epoch means an older id.
const FIRST_EPOCHS = 2
// How long a fence's transaction may stay open if the fence never ends it. It holds no records of its own, but may
// cover records that are to be committed, which Kafka would abort: another owner needs 12 s to arrive.
const TRANSACTION_TIMEOUT_MS = 60_000
const RENEW_WITHIN_MS = 15_000
const PLACES_TIMEOUT_MS = 3_000
// More would only wait for one another, and for longer than an answer may take.
const AT_ONCE = 32
/** The partition isn't as its leader described it a moment ago. */
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

/** What the attempts so far have found. */
type Known = {
  /** Whether none of the partitions held anything written by others. */
  wasEmpty: boolean | undefined
  first: { readonly identity: Identity; readonly isNew: boolean } | undefined
  /** Identities that Kafka may have given us without our receiving the answer. */
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

/** Undefined when the fence has to be repeated. */
async function attempt(
  deps: Deps,
  { transactionalId, partitions, linkHeader }: Acquiring,
  { known, untilMs }: Attempt,
): Promise<Acquired | undefined> {
  const fencing = { cluster: deps.cluster, transactionalId, untilMs }
  const brokers = askBrokers(deps.cluster, 'control', () => untilMs)
  const logs = await findLogs(deps.places, partitions)
  // Also ensures that the leaders have the logs: a marker that arrives earlier delays the transactions of others.
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
 * A fence that ends a committed transaction may itself have been interrupted before its commit. Acquiring the
 * transactional id would abort it, and with it the committed transaction, so it is committed first.
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
    // Otherwise another owner has ended it, or acquired the id.
    if (!isFromBroker(error) || isRetriable(error)) throw error
  }
}

/** The identity for the marker. Ends the open transaction of the transactional id's former owner. */
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
  /** Whether to commit what is open there. */
  readonly isCommit: boolean
}

/** Writes the marker into the partitions and returns the identity to write with. */
async function mark(fencing: Fencing, marking: Marking): Promise<Identity> {
  const { fence, partitions, isCommit } = marking
  const { cluster, transactionalId, untilMs } = fencing
  const requests = requestsUntil(cluster, untilMs)
  const producer = { transactionalId, producerId: fence.id, producerEpoch: fence.epoch }
  const topics = partitions.map(({ topic, partition }) => ({ topic, partitions: [partition] }))
  await requests.addPartitions(producer, topics)
  await requests.end(producer, isCommit)
  // Under the marker's own identity: if there was another fence since, its creator is the owner and this is refused.
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
 * If the producer id changes between two attempts, the writer with the former id isn't fenced where the first attempt
 * left no marker.
 */
const isNew = ({ wasEmpty, first }: Known, fence: Identity): boolean =>
  wasEmpty === false && first !== undefined && (first.isNew || first.identity.id !== fence.id)

function orFenced(error: unknown): never {
  throw isFenced(error) ? fencedBy(error) : error
}

/** For `catch`: undefined for a passing error. */
function passing(error: unknown): undefined {
  if (!MOVED.includes(protocolTypeOf(error) ?? '')) return orFenced(error)
  return undefined
}

const FORGOTTEN = new KafkaError(
  'kafka.fenced',
  'Kafka has forgotten which producer this writer had fenced',
)
