// Keeps the connections to Kafka of an open topic, until the topic is closed. Failed work is repeated with another
// broker, unless the error is final.
import { setTimeout as delay } from 'node:timers/promises'
import type { Kafka } from 'kafkajs'
import { CallerError } from './consume.ts'
import { finalErrorOf, unreachable } from './failures.ts'
import { createKafkaClient } from './kafka-client.ts'
import type { KafkaClient } from './kafka-client.ts'
import type { StopSignal, TopicOptions } from './options.ts'
import { isSilence, untilEnded } from './timing.ts'

export type Session = {
  readonly kafka: Kafka
  readonly signal: AbortSignal
  readonly connectTimeoutMs: number
  /**
   * Repeats a failed `attempt`, until there is no progress for `connectTimeoutMs`. @throws ReadError, the error of
   * `token`, or that of `onRecord`
   */
  run<T>(attempt: () => Promise<T>, movedAtMs: () => number): Promise<T>
  close(): Promise<void>
}

const connectTimeoutDefaultMs = 15_000
const retryMs = 250

export async function openSession(options: TopicOptions, signal?: StopSignal): Promise<Session> {
  const { connectTimeoutMs = connectTimeoutDefaultMs } = options
  const client = await createKafkaClient(options)
  const ended = new AbortController()
  let working: Promise<unknown> = Promise.resolve()

  async function close(): Promise<void> {
    signal?.removeEventListener('abort', end)
    ended.abort()
    await working.catch(() => undefined)
    client.destroy()
  }
  const end = (): void => void close()
  if (signal?.aborted) ended.abort()
  signal?.addEventListener('abort', end)
  return {
    kafka: client.kafka,
    signal: ended.signal,
    connectTimeoutMs,
    run(attempt, movedAtMs) {
      const work = persist(attempt, movedAtMs, { client, options, ended: ended.signal })
      working = work
      return untilEnded(work, ended.signal)
    },
    close,
  }
}

type Persisting = {
  readonly client: KafkaClient
  readonly options: TopicOptions
  readonly ended: AbortSignal
}

async function persist<T>(
  attempt: () => Promise<T>,
  movedAtMs: () => number,
  { client, options, ended }: Persisting,
): Promise<T> {
  const { connectTimeoutMs = connectTimeoutDefaultMs } = options
  let reason: unknown
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof CallerError) throw error.cause
      const failure = client.tokenFailure()
      if (failure !== undefined) throw failure.error
      const isLate = performance.now() - movedAtMs() >= connectTimeoutMs
      const read = { ...options, token: client.lastToken() }
      reason = tellingOf(reason, error)
      const final = finalErrorOf(error, read) ?? (isLate ? unreachable(reason, read) : undefined)
      if (final !== undefined) throw final
    }
    client.useNextBroker()
    await delay(retryMs, undefined, { signal: ended })
  }
}

/** Returns the earlier error instead of a time-out, because the last attempt may have had too little time. */
const tellingOf = (before: unknown, error: unknown): unknown =>
  before !== undefined && isSilence(error) ? before : error
