// Single requests to brokers, on a connection that is made anew when it breaks. This is the one place that
// speaks below kafkajs's own clients. It asks for each topic by name each time, so there is nothing that it
// could fail to forget: a deleted topic never spoils a request about another one. For the same reason all
// who ask by one handle share the connection.
import type Cluster from 'kafkajs/src/cluster/index.js'

import { backoff, delay, hasCode, withTimeout } from '@weir/kit'

import { closeClient } from '../connect/close-client.ts'
import { isFromBroker, isRetriable, refused, unavailable } from '../connect/faults.ts'
import { internalsOf } from '../connect/internals.ts'
import type { Kafka } from '../connect/internals.ts'
import { FEW_RETRIES } from '../connect/retries.ts'

type Call<T> = (cluster: Cluster) => Promise<T>

export type BrokerCalls = {
  /** Again on passing errors, until the deadline. Throws KafkaError `kafka.unavailable` or `refused`. */
  run<T>(what: string, call: Call<T>): Promise<T>
  /** On a connection just seen working, and never twice: for what may not happen twice. */
  runOnce<T>(what: string, call: Call<T>): Promise<T>
  close(): Promise<void>
}

const connections = new WeakMap<Kafka, { cluster: Promise<Cluster> | undefined; users: number }>()

const DEADLINE_MS = 15_000
const PAUSE = { minMs: 20, maxMs: 1_000 }

export function createBrokerCalls(kafka: Kafka, deadlineMs = DEADLINE_MS): BrokerCalls {
  const internals = internalsOf(kafka)
  const closing = new AbortController()
  const shared = connections.get(kafka) ?? { cluster: undefined, users: 0 }
  connections.set(kafka, shared)
  shared.users += 1

  async function open(): Promise<Cluster> {
    const cluster = internals.cluster({ retries: FEW_RETRIES })
    try {
      await cluster.connect()
      await cluster.refreshMetadata()
      return cluster
    } catch (error) {
      void closeClient(cluster)
      throw error
    }
  }

  function discard(broken: Promise<Cluster>): void {
    if (shared.cluster === broken) shared.cluster = undefined
    void closeQuietly(broken)
  }

  async function attempt<T>(call: Call<T>): Promise<T> {
    // Nobody would close what was opened now.
    if (closing.signal.aborted) throw unavailable('be asked after closing')
    const opening = (shared.cluster ??= open())
    const cluster = await opening.catch((error: unknown) => {
      discard(opening)
      internals.troubles.failed(error)
      throw error
    })
    try {
      return await call(cluster)
    } catch (error) {
      if (!isFromBroker(error) && !hasCode(error)) discard(opening)
      throw error
    }
  }

  async function bounded<T>(work: Promise<T>, ms: number, what: string): Promise<T> {
    const { promise: closed, reject } = Promise.withResolvers<never>()
    const onAbort = () => reject(unavailable(what))
    closing.signal.addEventListener('abort', onAbort)
    try {
      return await withTimeout(Promise.race([work, closed]), ms, what)
    } finally {
      closing.signal.removeEventListener('abort', onAbort)
    }
  }

  async function run<T>(what: string, call: Call<T>): Promise<T> {
    const end = performance.now() + deadlineMs
    for (const pauseMs of backoff(PAUSE)) {
      try {
        return await bounded(attempt(call), end - performance.now(), what)
      } catch (error) {
        if (closing.signal.aborted || hasCode(error, 'kit.timeout')) throw unavailable(what, error)
        if (hasCode(error)) throw error
        if (!isRetriable(error)) throw refused(what, error)
        if (performance.now() + pauseMs > end) throw unavailable(what, error)
      }
      await delay(pauseMs, closing.signal).catch(() => undefined)
    }
    throw unavailable(what)
  }

  return {
    run,
    async runOnce(what, call) {
      await run(what, (cluster) => cluster.refreshMetadata())
      try {
        return await bounded(attempt(call), deadlineMs, what)
      } catch (error) {
        if (hasCode(error, 'kit.timeout')) throw unavailable(what, error)
        if (hasCode(error)) throw error
        throw isRetriable(error) ? unavailable(what, error) : refused(what, error)
      }
    },
    async close() {
      if (closing.signal.aborted) return
      closing.abort()
      shared.users -= 1
      if (shared.users > 0 || !shared.cluster) return
      const last = shared.cluster
      shared.cluster = undefined
      await closeQuietly(last)
    },
  }
}

async function closeQuietly(cluster: Promise<Cluster>): Promise<void> {
  await cluster.then((open) => closeClient(open)).catch(() => undefined)
}
