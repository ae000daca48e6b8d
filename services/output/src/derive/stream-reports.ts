// Reports what happens to a derived stream in metrics, the log and traces.
import type { DerivedStream, InputStream } from '@weir/control-state'
import { topicOf } from '@weir/control-state'
import type { Log } from '@weir/kit'
import type { Tracing } from '@weir/trace'
import type { OutputMetrics } from '../metrics.ts'
import { failureOf } from './errors.ts'
import type { DeadAt, Told } from './flow/stream.ts'
import { spansOf } from './traced.ts'

export type ReportDeps = {
  readonly metrics: Pick<OutputMetrics, 'derived' | 'deriverFailed' | 'lostToRetention'>
  readonly log: Log
  /** Undefined without tracing. */
  readonly tracing: Tracing | undefined
  readonly kafkaPrefix: string
}

export function reportsOf(
  { metrics, log, tracing, kafkaPrefix }: ReportDeps,
  { stream, input }: { readonly stream: DerivedStream; readonly input: InputStream },
): (partition: number) => Told {
  const topic = topicOf(stream)
  const span =
    tracing === undefined ? () => undefined : spansOf(tracing, { stream, input, kafkaPrefix })
  return (partition) => {
    const dead = createDeadLog(log, { stream: topic, partition })
    return {
      span,
      stored(counts, deadAt) {
        metrics.derived(counts, deadAt)
        if (deadAt.length > 0) dead.add(deadAt)
      },
      failed(error) {
        metrics.deriverFailed(failureOf(error))
        log.warn({ err: error, stream: topic, partition }, 'a partition waits; trying again')
      },
      lost(count) {
        const events = Number(count)
        metrics.lostToRetention(events)
        const what = { stream: topic, partition, events }
        log.error(what, 'retention removed events before they were derived')
      },
    }
  }
}

const OFFSETS_LOGGED_MAX = 20
const LOG_EVERY_MS = 1_000

/** Logs a partition's dead letters at most once per second, whatever their number. */
function createDeadLog(log: Log, what: { readonly stream: string; readonly partition: number }) {
  let dead: DeadAt[] = []
  let records = 0
  let timer: NodeJS.Timeout | undefined

  function write(): void {
    timer = undefined
    if (records === 0) return
    const first = dead.map(({ offset, code }) => `${offset} ${code}`)
    log.error({ ...what, records, first }, 'records that cannot be derived were dead-lettered')
    dead = []
    records = 0
    timer = setTimeout(write, LOG_EVERY_MS).unref()
  }

  return {
    add(more: readonly DeadAt[]): void {
      records += more.length
      dead.push(...more.slice(0, OFFSETS_LOGGED_MAX - dead.length))
      if (timer === undefined) write()
    },
  }
}
