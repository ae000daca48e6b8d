// Single requests to brokers, on a connection that is made anew when it breaks. This is the one place that
// speaks below kafkajs's own clients. It asks for each topic by name each time, so there is nothing that it
// could fail to forget: a deleted topic never spoils a request about another one. For the same reason all
// who ask by one handle share the connection.
import { backoff, delay, hasCode, withTimeout } from '@weir/kit'

import { isRetriable, refused, unavailable } from '../connect/faults.ts'
import type { Kafka } from '../connect/internals.ts'
import { joinCluster } from './shared-cluster.ts'
import type { Call } from './shared-cluster.ts'

export type BrokerCalls = {
  /** Again on passing errors, until the deadline. Throws KafkaError `kafka.unavailable` or `refused`. */
  run<T>(what: string, call: Call<T>): Promise<T>
  /** On a connection just seen working, and never twice: for what may not happen twice. */
  runOnce<T>(what: string, call: Call<T>): Promise<T>
  close(): Promise<void>
}

const DEADLINE_MS = 15_000
const PAUSE = { minMs: 20, maxMs: 1_000 }

export function createBrokerCalls(kafka: Kafka, deadlineMs = DEADLINE_MS): BrokerCalls {
  const closing = new AbortController()
  const { signal } = closing
  const shared = joinCluster(kafka)

  async function attempt<T>(call: Call<T>, limits: Limits): Promise<T> {
    // Nobody would close what was opened now.
    if (signal.aborted) throw unavailable('be asked after closing')
    return bounded(shared.attempt(call), limits)
  }
  const run = <T>(what: string, call: Call<T>): Promise<T> =>
    retry({ what, ms: deadlineMs, signal }, (limits) => attempt(call, limits))

  return {
    run,
    async runOnce(what, call) {
      await run(what, (cluster) => cluster.refreshMetadata())
      try {
        return await attempt(call, { what, ms: deadlineMs, signal })
      } catch (error) {
        if (hasCode(error, 'kit.timeout')) throw unavailable(what, error)
        if (hasCode(error)) throw error
        throw isRetriable(error) ? unavailable(what, error) : refused(what, error)
      }
    },
    async close() {
      if (signal.aborted) return
      closing.abort()
      await shared.leave()
    },
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
      if (signal.aborted || hasCode(error, 'kit.timeout')) throw unavailable(what, error)
      if (hasCode(error)) throw error
      if (!isRetriable(error)) throw refused(what, error)
      if (performance.now() + pauseMs > end) throw unavailable(what, error)
    }
    await delay(pauseMs, signal).catch(() => undefined)
  }
  throw unavailable(what)
}

/** Ends with the time, and with `signal`. */
async function bounded<T>(work: Promise<T>, { what, ms, signal }: Limits): Promise<T> {
  const { promise: closed, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(unavailable(what))
  signal.addEventListener('abort', onAbort)
  try {
    return await withTimeout(Promise.race([work, closed]), ms, what)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
