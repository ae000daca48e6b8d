// The topic of a stream, read with the stream's own token: the committed records from its start to its end at the
// beginning of the export. It joins no group and leaves nothing at the broker.
import { eventTimeOf } from '@weir/contracts'
import { createAdmin, createKafka, createRangeReader, kafkaTrouble } from '@weir/kafka'
import type { Kafka, SourceRecord } from '@weir/kafka'
import { createLog, hasCode } from '@weir/kit'
import { failure } from '../errors.ts'

const deadlineMs = 15_000
/** How far the clock of an event may be ahead of the broker's: a broker refuses records beyond that. */
const clocksApartMs = 3_600_000

export type TopicOptions = {
  readonly name: string
  readonly topic: string
  readonly brokers: string
  readonly isTls: boolean
  readonly token: () => Promise<string>
  /** The maximum time to reach Kafka. */
  readonly deadlineMs?: number
}

/** From `fromMs` on, before `untilMs`, by the times of events. */
export type ExportSpan = {
  readonly fromMs: number | undefined
  readonly untilMs: number | undefined
}

export type ExportTopic = {
  /** The number of offsets to read. */
  readonly size: number
  /** Reads all records of the span, partition by partition, and can be repeated. `passed` reports the progress. */
  read(
    onRecord: (record: SourceRecord) => void | Promise<void>,
    passed: (offsets: number) => void,
  ): Promise<void>
  close(): Promise<void>
}

/** `signal` ends it immediately. @throws CliError when it is unreachable, or these credentials may not read it */
export async function openTopic(
  options: TopicOptions,
  span: ExportSpan,
  signal: AbortSignal,
): Promise<ExportTopic> {
  // First, because auth explains a refusal better than a broker.
  await options.token()
  const kafka = createKafka({
    brokers: options.brokers.split(',').map((broker) => broker.trim()),
    clientId: 'weir-cli',
    log: createLog('weir', 'silent'),
    login: { mechanism: 'OAUTHBEARER', token: options.token, forget: () => undefined },
    ...(options.isTls ? { tls: () => ({}) } : {}),
  })
  const admin = createAdmin(kafka, { deadlineMs: options.deadlineMs ?? deadlineMs })
  const reader = createRangeReader(kafka)
  const inWords = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: unknown) => {
      throw explained(error, options, kafka)
    })
  const close = async (): Promise<void> => {
    await Promise.all([admin.close(), reader.close()])
  }
  signal.addEventListener('abort', () => void close())
  try {
    const ranges = await inWords(rangesOf(admin, options.topic, span))
    return {
      size: ranges.reduce((sum, { from, to }) => sum + Number(to - from), 0),
      read: (onRecord, passed) => inWords(readRanges(reader, { ranges, span }, onRecord, passed)),
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function readRanges(
  reader: ReturnType<typeof createRangeReader>,
  { ranges, span }: { readonly ranges: readonly Range[]; readonly span: ExportSpan },
  ...[onRecord, passed]: Parameters<ExportTopic['read']>
): Promise<void> {
  let before = 0
  for (const range of ranges) {
    const onRecords = async (records: readonly SourceRecord[]): Promise<boolean> => {
      for (const record of records) if (isWithin(record, span)) await onRecord(record)
      const last = records.at(-1)
      if (last) passed(before + Number(last.offset + 1n - range.from))
      return true
    }
    await reader.read(range, onRecords)
    before += Number(range.to - range.from)
    passed(before)
  }
}

type Range = { topic: string; partition: number; from: bigint; to: bigint }

/**
 * Kafka finds an offset by the time of deriving, which is later than the event. So reading starts at `fromMs`, minus
 * the difference of clocks: records before that are of earlier events. Reading always continues to the end, whatever
 * `untilMs` is, because a backfill or a retry derives old events late.
 */
async function rangesOf(
  admin: ReturnType<typeof createAdmin>,
  topic: string,
  { fromMs }: ExportSpan,
): Promise<readonly Range[]> {
  const ends = await admin.offsets.ends(topic, { isolation: 'read_committed' })
  const starts = await (fromMs === undefined
    ? admin.offsets.earliest(topic)
    : admin.offsets.at(topic, fromMs - clocksApartMs))
  return ends.flatMap((to, partition) => {
    const from = starts[partition] ?? to
    return from < to ? [{ topic, partition, from, to }] : []
  })
}

function isWithin(record: SourceRecord, { fromMs, untilMs }: ExportSpan): boolean {
  const time = eventTimeOf(record)
  return time >= (fromMs ?? -Infinity) && time < (untilMs ?? Infinity)
}

function explained(error: unknown, { name, topic, brokers }: TopicOptions, kafka: Kafka): unknown {
  const isHidden =
    hasCode(error, 'kafka.not_found') ||
    (hasCode(error, 'kafka.refused') && error.message.includes('AUTHORIZATION'))
  if (isHidden) {
    return failure(
      `the credentials of ${name} can't read the topic ${topic}`,
      'Use credentials of an output, or credentials of an input stream with the scope listen:',
      `weir credentials rotate ${name} --scope listen --save`,
      'If topic names have a prefix in this cluster, set WEIR_KAFKA_PREFIX.',
    )
  }
  if (!hasCode(error, 'kafka.unavailable', 'kafka.refused')) return error
  const [reason] = kafkaTrouble(kafka)
  return failure(
    `${reason?.split(';')[0] ?? error.message} (${brokers})`,
    "Check that this is Kafka's listener for analysts. To use another address, set --brokers or WEIR_ANALYST_BROKERS.",
    'If the listener uses TLS, add --tls.',
  )
}
