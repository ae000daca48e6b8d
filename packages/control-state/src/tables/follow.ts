// Reads `weir.control` and `weir.keys` from their start into tables in memory, in every service (docs/architecture.md,
// decision 1). Never writes.
import { followTopics, kafkaTrouble } from '@weir/kafka'
import type { FollowedRecord, Follower, Kafka } from '@weir/kafka'
import type { KekProvider } from '@weir/fieldcrypt'
import { delay } from '@weir/kit'
import type { Log } from '@weir/kit'
import { createUnread } from '../forms/unread.ts'
import type { Unread } from '../forms/unread.ts'
import { checkKeyRecord, restoringKey } from '../keyring/key-forms.ts'
import { createKeys } from '../keyring/keyring.ts'
import type { Keys } from '../keyring/keyring.ts'
import { parseControlRecord } from '../records/control-forms.ts'
import { controlTopic, keysTopic } from '../records/records.ts'
import { changeHeader, createChangeLog } from './change-log.ts'
import type { ChangeLog } from './change-log.ts'
import { createWholeReading } from './read-whole.ts'
import type { WholeReading } from './read-whole.ts'
import { createTables } from './tables.ts'
import type { FollowedTables, Tables } from './tables.ts'
import { ControlStateError } from '../errors.ts'

export type StateFollower = Pick<Keys, 'keyStore' | 'wrappingKeys' | 'keyring'> & {
  readonly tables: Tables
  readonly changes: ChangeLog
  /**
   * Resolves when all changes that were committed before the call are in the tables.
   * @throws ControlStateError `control-state.unavailable` if a record can't be read, or KafkaError `kafka.unavailable`
   */
  catchUp(): Promise<void>
  /**
   * Like `catchUp`, for use after a failed look-up. Runs at most ten times per second; waiting callers share one run.
   */
  refresh(): Promise<void>
  /** False while the tables may lack revocations. While it is false, nothing may be accepted or decrypted. */
  isFresh(): boolean
  /** The read position: the next offset of each topic. */
  positions(): { control: bigint; keys: bigint }
  /**
   * Calls the listener with the topic and key of each record, and without a key when the tables are cleared and read
   * again. Returns a function that removes the listener.
   */
  onChange(listener: ChangeListener): () => void
}

export type StateFollowing = {
  readonly follower: StateFollower
  /**
   * Resolves when both topics are read to their ends, every record can be read, and the wrapping keys are unwrapped.
   * Never resolves if `close` is called first.
   */
  start(): Promise<void>
  /** False while a record can't be read. */
  isWhole(): boolean
  /** Returns the reasons; empty if control state is ready. */
  notReady(): string[]
  close(): Promise<void>
}

type ChangeListener = (topic: string, key?: string) => void

type StateOptions = {
  readonly kafka: Kafka
  readonly service: string
  readonly kek: KekProvider
  readonly mayUnwrap: (keyName: string) => boolean
  readonly log: Log
}

export function followState(options: StateOptions): StateFollowing {
  const { state, keys, unread, take, startOver } = holdState(options)
  const topics = followTopics(options.kafka, {
    topics: [controlTopic, keysTopic],
    onRecord: take,
    onReset() {
      startOver()
      reading.startOver()
    },
  })
  const catchUp = async (): Promise<void> => {
    await topics.catchUp()
    if (!unread.isEmpty()) throw notWhole(unread.sentences())
  }
  const reading = createWholeReading({
    start: topics.start,
    readToEnd: () => catchUp().then(keys.wrappingKeys.settled),
  })
  return {
    follower: {
      ...state,
      catchUp,
      refresh: atMostEvery(refreshEveryMs, catchUp),
      isFresh: () =>
        reading.isDone() && topics.isFresh() && unread.isEmpty() && !isRestoring(state.keyStore),
      positions: () => ({
        control: topics.position(controlTopic),
        keys: topics.position(keysTopic),
      }),
    },
    start: reading.start,
    isWhole: unread.isEmpty,
    notReady: () => reasonsOf(options.kafka, { keys, unread, topics, reading }),
    async close() {
      reading.close()
      keys.close()
      await topics.close()
    },
  }
}

function holdState({ service, kek, mayUnwrap, log }: StateOptions) {
  const tables = createTables()
  const keys = createKeys({ kek, log, mayUse: mayUnwrap })
  const changes = createChangeLog()
  const unread = createUnread(log)
  const listeners = new Set<ChangeListener>()
  const tell: ChangeListener = (topic, key) => {
    for (const listener of listeners) listener(topic, key)
  }

  const onChange = (listener: ChangeListener): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
  const { keyStore, wrappingKeys, keyring } = keys
  return {
    state: { tables, keyStore, wrappingKeys, keyring, changes, onChange },
    keys,
    unread,
    take({ topic, key, value, headers }: FollowedRecord): void {
      changes.see(headers[changeHeader]?.toString())
      if (topic === keysTopic || isOfUse(key, service))
        unread.note(topic, key, () => apply({ tables, keys }, topic, { key, value }))
      tell(topic, key)
    },
    startOver(): void {
      for (const each of [tables, keys, unread]) each.clear()
      tell(controlTopic)
    },
  }
}

function apply(
  { tables, keys }: { tables: Pick<FollowedTables, 'apply'>; keys: Pick<Keys, 'apply'> },
  topic: string,
  { key, value }: Pick<FollowedRecord, 'key' | 'value'>,
): void {
  if (topic === controlTopic)
    return tables.apply(key, value === null ? null : parseControlRecord(key, value))
  try {
    if (value !== null) checkKeyRecord(key, value)
  } catch (error) {
    keys.apply(key, null) // the value that this record replaces is no longer valid
    throw error
  }
  keys.apply(key, value)
}

/** Returns false for records that only auth needs, because there may be many. */
const isOfUse = (key: string, service: string): boolean =>
  service === 'auth' || !(key.startsWith('erasure/') || key.startsWith('key-use/'))

const refreshEveryMs = 100

/** Calls that arrive before a run starts share that run. */
function atMostEvery(everyMs: number, work: () => Promise<void>): () => Promise<void> {
  let next: Promise<void> | undefined
  let lastMs = -everyMs
  const runOnce = async (): Promise<void> => {
    await delay(lastMs + everyMs - performance.now())
    lastMs = performance.now()
    next = undefined // later callers may need newer data
    await work()
  }
  return () => (next ??= runOnce())
}

/** Whether a restore is not finished, so erasures since the backup may be undone. */
export const isRestoring = (keyStore: Pick<Keys['keyStore'], 'get'>): boolean =>
  keyStore.get(restoringKey) !== undefined

type Reasons = {
  readonly keys: Pick<Keys, 'wrappingKeys' | 'keyStore'>
  readonly unread: Unread
  readonly topics: Pick<Follower, 'isFresh'>
  readonly reading: Pick<WholeReading, 'isDone'>
}

function reasonsOf(kafka: Kafka, { keys, unread, topics, reading }: Reasons): string[] {
  const sealed = reading.isDone() ? keys.wrappingKeys.stuck() : keys.wrappingKeys.pending()
  const reasons = sealed.map((id) => `${id} is not unwrapped`)
  if (!unread.isEmpty()) return [...reasons, ...unread.sentences()]
  if (isRestoring(keys.keyStore))
    reasons.push('a backup is being restored: the erasures since then are not applied yet')
  if (!reading.isDone()) reasons.push('control state is not read to its end yet')
  else if (!topics.isFresh()) reasons.push('control state was not read for 10 s')
  return reasons.length === 0 ? [] : [...reasons, ...kafkaTrouble(kafka)]
}

const notWhole = (sentences: readonly string[]): ControlStateError<'control-state.unavailable'> =>
  new ControlStateError(
    'control-state.unavailable',
    'Control state cannot be read completely now; try again later',
    {
      cause: new Error(sentences.join('; ')),
    },
  )
