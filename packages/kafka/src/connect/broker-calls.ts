// Calls that send one or several requests to brokers. After a retriable error, `run` repeats the whole call.
import { backoff, delay, hasCode, withTimeout } from '@weir/kit'

import type { ClusterState } from './cluster-state.ts'
import type { Cluster, Target } from './cluster.ts'
import type { Purpose } from './connections.ts'
import { isRetriable, refused, brokerUnavailable } from './faults.ts'
import { internalsOf } from './internals.ts'
import type { Kafka } from './internals.ts'
import type { BrokerRequest } from './requests.ts'

/** How a call sends its requests. */
export type KafkaBrokers = {
  ask<Answer>(target: Target, request: BrokerRequest<Answer>, purpose?: Purpose): Promise<Answer>
  /** Asks broker `at`, by default any broker, about the brokers and these topics. */
  describe(topics: readonly string[], at?: number): Promise<ClusterState>
}

export type BrokerCall<T> = (brokers: KafkaBrokers) => Promise<T>

export type BrokerCalls = {
  /** Retries after retriable errors until the deadline. Throws KafkaError `kafka.unavailable` or `kafka.refused`. */
  run<T>(what: string, call: BrokerCall<T>): Promise<T>
  /**
   * Starts the call only after a broker has responded to another request, and never retries it. For calls that must not
   * run twice.
   */
  runOnce<T>(what: string, call: BrokerCall<T>): Promise<T>
  close(): Promise<void>
}

const DEADLINE_MS = 15_000
const PAUSE = { minMs: 20, maxMs: 1_000 }

export function createBrokerCalls(kafka: Kafka, deadlineMs = DEADLINE_MS): BrokerCalls {
  const closing = new AbortController()
  const { signal } = closing
  const { cluster } = internalsOf(kafka)
  const leave = cluster.join()

  async function attempt<T>(call: BrokerCall<T>, limits: Limits): Promise<T> {
    // After `close`, nothing would close a new connection.
    if (signal.aborted) throw brokerUnavailable('be asked after closing')
    const end = performance.now() + limits.ms
    return bounded(call(askBrokers(cluster, 'control', () => end)), limits)
  }
  const run = <T>(what: string, call: BrokerCall<T>): Promise<T> =>
    retry({ what, ms: deadlineMs, signal }, (limits) => attempt(call, limits))

  return {
    run,
    async runOnce(what, call) {
      await run(what, (brokers) => brokers.describe([]))
      try {
        return await attempt(call, { what, ms: deadlineMs, signal })
      } catch (error) {
        throw lastWord(what, error)
      }
    },
    close() {
      if (!signal.aborted) leave()
      closing.abort()
      return Promise.resolve()
    },
  }
}

/** Sends each request once. Calls `untilMs` for each request, and doesn't send the request after that time. */
export function askBrokers(
  cluster: Cluster,
  purpose: Purpose,
  untilMs: () => number,
): KafkaBrokers {
  return {
    ask: (target, request, other = purpose) =>
      cluster.ask(target, request, { purpose: other, untilMs: untilMs() }),
    describe: (topics, at) => cluster.describe(topics, { untilMs: untilMs(), at }),
  }
}

type Limits = { readonly what: string; readonly ms: number; readonly signal: AbortSignal }

async function retry<T>(
  { what, ms, signal }: Limits,
  attempt: (limits: Limits) => Promise<T>,
): Promise<T> {
  const end = performance.now() + ms
  for (const pauseMs of backoff(PAUSE)) {
    try {
      return await attempt({ what, ms: end - performance.now(), signal })
    } catch (error) {
      if (signal.aborted || hasCode(error, 'kit.timeout')) throw brokerUnavailable(what, error)
      if (isOver(error)) throw error
      if (!isRetriable(error)) throw refused(what, error)
      if (performance.now() + pauseMs > end) throw brokerUnavailable(what, error)
    }
    await delay(pauseMs, signal).catch(() => undefined)
  }
  throw brokerUnavailable(what)
}

function lastWord(what: string, error: unknown): unknown {
  if (isOver(error) && !hasCode(error, 'kit.timeout')) return error
  const mayPass = hasCode(error, 'kit.timeout') || isRetriable(error)
  return mayPass ? brokerUnavailable(what, error) : refused(what, error)
}

/** An error that already has a code ends the retries, except `kafka.not_sent`. */
const isOver = (error: unknown): boolean => hasCode(error) && !hasCode(error, 'kafka.not_sent')

/** Rejects after `ms`, or when `signal` aborts. */
async function bounded<T>(work: Promise<T>, { what, ms, signal }: Limits): Promise<T> {
  const { promise: closed, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(brokerUnavailable(what))
  signal.addEventListener('abort', onAbort)
  try {
    return await withTimeout(Promise.race([work, closed]), ms, what)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
