// Partitions of an input topic and the partitions derived from them, on a real broker. Values are copied. Values that
// begin with «no» are filtered out, and values that begin with «bad» can't be derived. A test may start any number of
// owners.
import { createFetcher } from '@weir/kafka'
import type { Admin, Kafka, OutRecord, SourceRecord } from '@weir/kafka'
import { createLog, delay, pollUntil } from '@weir/kit'
import { compiledExample } from '@weir/testkit'
import {
  connect,
  makeTopic,
  readRecords,
  uniqueName,
  writeTo,
} from '../../../../packages/kafka/test/support.ts'
import type { Source } from '../../src/derive/derive.ts'
import { DeriveError, failureOf } from '../../src/derive/errors.ts'
import { createPartitionFlow } from '../../src/derive/flow/partition-flow.ts'
import { newStream } from '../../src/derive/flow/stream.ts'
import type { Counts, DeadAt, Stream } from '../../src/derive/flow/stream.ts'
import { createFlowTurns } from '../../src/derive/flow/turns.ts'
import { createPartitionLogs } from '../../src/derive/partition-logs.ts'
import type { DerivedPartition } from '../../src/derive/partition-logs.ts'

type Config = Readonly<Record<string, string>>

export type Derivation = {
  readonly of: DerivedPartition
  write(...values: string[]): Promise<void>
  /** Returns the input offset of each derived record, in the order of the log. */
  sources(): Promise<number[]>
  sourcesUntil(count: number): Promise<number[]>
  deadLetters(): Promise<SourceRecord[]>
  start(options?: OwnerOptions): Owner
}

export type OwnerOptions = {
  readonly kafka?: Kafka
  readonly mayDerive?: () => boolean
  derive?(value: string): void
}

/** One replica that derives the partition, and what it reports. */
export type Owner = {
  readonly stream: Stream
  readonly counts: Counts
  readonly dead: DeadAt[]
  readonly failures: string[]
  readonly lost: bigint[]
  /** Call when the replica's permissions have changed. */
  wake(): void
  stop(): Promise<void>
}

const WITHIN = { deadlineMs: 60_000, everyMs: 50 }
const BROKERS_TIME = { 'message.timestamp.type': 'LogAppendTime' }
const contract = await compiledExample('demo_v1')

type Configs = { input?: Config; output?: Config; dead?: Config }

export async function makeDerivation(admin: Admin, configs: Configs = {}): Promise<Derivation> {
  return derivationOf(partitionOf(await makeTopics(admin, 1, configs)))
}

export async function makeTwo(admin: Admin): Promise<readonly [Derivation, Derivation]> {
  const topics = await makeTopics(admin, 2, {})
  return [derivationOf(partitionOf(topics)), derivationOf(partitionOf(topics, 1))]
}

type Topics = Pick<DerivedPartition, 'inputTopic' | 'outputTopic' | 'deadLetterTopic'>

const makeTopics = async (admin: Admin, count: number, configs: Configs): Promise<Topics> => ({
  inputTopic: await makeTopic(admin, 'in', count, configs.input),
  outputTopic: await makeTopic(admin, 'out', count, { ...BROKERS_TIME, ...configs.output }),
  deadLetterTopic: await makeTopic(admin, 'dead', count, { ...BROKERS_TIME, ...configs.dead }),
})

export const partitionOf = (topics: Topics, partition = 0): DerivedPartition => ({
  ...topics,
  streamId: uniqueName('stream'),
  transactionalId: `weir.derive.${topics.outputTopic}.${partition}`,
  groupId: `weir.${topics.outputTopic}`,
  partition,
  startOffset: 0n,
  rebuild: 0,
  logStarts: { derived: 0n, dead: 0n },
})

export function derivationOf(of: DerivedPartition): Derivation {
  async function sources(): Promise<number[]> {
    const records = await readRecords(of.outputTopic)
    const own = records.filter(({ partition }) => partition === of.partition)
    const text = own.map(({ headers }) => headers['svc-source']?.toString() ?? '')
    return text.map((source) => Number(source.replace(`${of.inputTopic}/${of.partition}/`, '')))
  }
  const { partition } = of
  return {
    of,
    write: (...values) =>
      writeTo(of.inputTopic, ...values.map((value) => ({ partition, key: value, value }))),
    sources,
    async sourcesUntil(count) {
      await pollUntil(async () => (await sources()).length >= count, WITHIN)
      return sources()
    },
    deadLetters: () => readRecords(of.deadLetterTopic),
    start: (options = {}) => startOwner(of, options),
  }
}

/** Writes until `stop` is called. `stop` returns the number of records. */
export function keepWriting({ write }: Derivation, perRound: number, pauseMs: number) {
  let written = 0
  let isStopped = false
  const writing = (async () => {
    for (; !isStopped; written += perRound) {
      await write(...upTo(perRound, written).map((number) => `v${number}`))
      await delay(pauseMs)
    }
  })()
  // `stop` throws the error, but a failing test may call it too late.
  writing.catch(() => undefined)
  return {
    async stop(): Promise<number> {
      isStopped = true
      await writing
      return written
    },
  }
}

/** Returns `count` numbers, beginning at `from`. */
export const upTo = (count: number, from = 0): number[] =>
  Array.from({ length: count }, (_, index) => from + index)

export function startOwner(
  of: DerivedPartition,
  { kafka = connect(), mayDerive = () => true, derive = () => undefined }: OwnerOptions,
): Owner {
  const logs = createPartitionLogs({ kafka, kafkaPrefix: '', log: createLog('test', 'silent') })
  const { told, ...seen } = keepTold()
  const flow = createPartitionFlow({
    logs,
    fetcher: createFetcher(kafka),
    turns: createFlowTurns((error) => void seen.failures.push(String(error))),
    room: { bytes: 0 },
    input: {
      topic: of.inputTopic,
      ownTopic: of.inputTopic,
      partition: of.partition,
      account: 'acme',
      read: sourceOf,
    },
    begin: () => () => undefined,
    refresh: () => Promise.resolve(),
    readOwners: () => Promise.resolve(),
    mayOwn: () => Promise.resolve(mayDerive()),
    mayDerive,
  })
  const group = {
    derive({ record: { key, value, headers, timestampMs } }: Source): OutRecord | undefined {
      const text = value?.subarray(0, 20).toString() ?? ''
      derive(text)
      if (text.startsWith('bad')) throw new DeriveError('derive.corrupt', 'a bad record')
      return text.startsWith('no') ? undefined : { key, value, headers, timestampMs }
    },
  }
  const stream = newStream(of, group, { told, noted: undefined })
  flow.add(stream)

  async function close(): Promise<void> {
    await flow.remove(stream)
    await logs.close()
  }
  let closed: Promise<void> | undefined
  return { stream, ...seen, wake: flow.wake, stop: () => (closed ??= close()) }
}

const sourceOf = (record: SourceRecord): Source => ({
  record,
  schemaId: 'demo_v1',
  keyLink: Buffer.alloc(0),
  contract,
  registryId: 1,
  consent: [],
  timestampMs: record.timestampMs,
  takeEvent: () => ({}),
})

function keepTold() {
  const counts: Counts = { passed: 0, filtered: 0, undecryptable: 0 }
  const dead: DeadAt[] = []
  const failures: string[] = []
  const lost: bigint[] = []
  const told = {
    stored({ passed, filtered }: Counts, more: readonly DeadAt[]) {
      counts.passed += passed
      counts.filtered += filtered
      dead.push(...more)
    },
    failed: (error: unknown) => void failures.push(failureOf(error)),
    lost: (count: bigint) => void lost.push(count),
    span: () => undefined,
  }
  return { told, counts, dead, failures, lost }
}
