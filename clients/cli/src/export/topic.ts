// Reads the committed records of a stream's topic, with the stream's own token, up to the end that the topic had when
// the export started. Commits no offsets.
import { openTopic as openKafkaTopic, ReadError } from '@weir/client'
import type { OpenTopic, TopicRecord } from '@weir/client'
import { readerAdvice } from '../api/credentials.ts'
import { claimsOf } from '../api/id-token.ts'
import { failure } from '../errors.ts'
import type { CliError } from '../errors.ts'
import { hideTimerWarning } from './timer-warning.ts'

/** How far the time of an event may be ahead of the broker's clock. A broker refuses records that are further ahead. */
const clocksApartMs = 3_600_000

export type TopicOptions = {
  readonly name: string
  readonly topic: string
  /** The required beginning of consumer group ids. */
  readonly group: string
  readonly brokers: string
  readonly isTls: boolean
  readonly token: () => Promise<string>
  /** Explains why Kafka does not let the credentials read. Returns undefined if the reason is not known. */
  readonly reason?: () => Promise<CliError | undefined>
  /** The maximum time to reach Kafka. */
  readonly deadlineMs?: number
}

/** Events from `fromMs` on and before `untilMs`, by their own times. */
export type ExportSpan = {
  readonly fromMs: number | undefined
  readonly untilMs: number | undefined
}

export type ExportTopic = {
  /** The number of offsets to read. */
  readonly size: number
  /**
   * Reads all records of the span, partition by partition. It can be called again. `passed` gets the number of offsets
   * that are read.
   */
  read(
    onRecord: (record: TopicRecord) => void | Promise<void>,
    passed: (offsets: number) => void,
  ): Promise<void>
  close(): Promise<void>
}

/** `signal` ends reading immediately. @throws CliError if Kafka is unreachable, or the credentials may not read */
export async function openTopic(
  options: TopicOptions,
  span: ExportSpan,
  signal: AbortSignal,
): Promise<ExportTopic> {
  // Asks auth first, because auth explains a refusal better than a broker.
  await options.token()
  hideTimerWarning()
  const inWords = <T>(work: Promise<T>): Promise<T> =>
    work.catch(async (error: unknown) => {
      throw await explained(error, options)
    })
  const { size, read, close } = await inWords(openAt(options, span, signal))
  return {
    size,
    read: (onRecord, passed) =>
      inWords(read((record) => (isWithin(record, span) ? onRecord(record) : undefined), passed)),
    close,
  }
}

/**
 * For an output, Kafka finds an offset by the time of deriving, which is after the event's. So reading starts at
 * `fromMs` minus the difference of clocks. It continues to the end, because a backfill or a retry derives events late.
 */
const openAt = (
  { topic, group, brokers, isTls, token, deadlineMs }: TopicOptions,
  { fromMs }: ExportSpan,
  signal: AbortSignal,
): Promise<OpenTopic> =>
  openKafkaTopic(
    {
      topic,
      groupId: `${group}-export`,
      brokers: brokers.split(',').map((broker) => broker.trim()),
      tls: isTls,
      clientId: 'weir-cli',
      token,
      ...(deadlineMs !== undefined && { connectTimeoutMs: deadlineMs }),
    },
    { fromMs: fromMs === undefined ? undefined : fromMs - clocksApartMs },
    signal,
  )

function isWithin(record: TopicRecord, { fromMs, untilMs }: ExportSpan): boolean {
  const time = eventTimeOf(record)
  return time >= (fromMs ?? -Infinity) && time < (untilMs ?? Infinity)
}

/** Returns `svc-time`, because the timestamp of a derived record is the broker's time (docs/wire-format.md). */
function eventTimeOf({ headers, timestampMs }: TopicRecord): number {
  const text = headers['svc-time']?.toString() ?? ''
  const time = /^-?\d{1,16}$/.test(text) ? Number(text) : timestampMs
  return Number.isSafeInteger(time) ? time : timestampMs
}

async function explained(
  error: unknown,
  { name, topic, reason, token }: TopicOptions,
): Promise<unknown> {
  if (!(error instanceof ReadError)) return error
  if (error.code === 'not_readable')
    return (
      (await reason?.()) ??
      failure(
        `the credentials of ${name} can't read the topic ${topic}`,
        'Perhaps the name is misspelt, the credentials are of another stream, or the stream is disabled.',
        ...(claimsOf(await token()).isOutput ? [] : readerAdvice(name, 'export')),
        'If topic names have a prefix in this cluster, set WEIR_KAFKA_PREFIX.',
      )
    )
  if (error.code !== 'unreachable' && error.code !== 'refused') return failure(error.message)
  return failure(
    error.message,
    "Check that this is Kafka's listener for analysts. To use another address, set --brokers or WEIR_ANALYST_BROKERS.",
    'If the listener uses TLS, add --tls.',
  )
}
