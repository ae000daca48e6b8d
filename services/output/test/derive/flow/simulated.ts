// A broker in memory: an input log with gaps, and two logs for each derived partition. Appends are acknowledged late,
// lose their response, are fenced, or are refused.
import type { AppendLane, EncodedRecord, Fetcher, SourceRecord } from '@weir/kafka'
import { KafkaError } from '@weir/kafka'
import { delay } from '@weir/kit'
import type { DerivedPartition, Owned, PartitionLogs } from '../../../src/derive/partition-logs.ts'

export type Random = () => number

export type Faults = {
  /** The probability that a batch is refused as fenced. `unknown`: that its response is lost. */
  readonly fenced: number
  readonly unknown: number
  /** Whether the derived record of this input offset is refused. */
  isRefused(offset: bigint): boolean
}

/** The content of a log: the input offset of each record. */
type Log = { offset: bigint; text: string }[]

const SOURCE = /svc-source.*?\/0\/(\d+)/s

export function simulatedLogs(random: Random, faults: () => Faults) {
  const logs = new Map<string, { derived: Log; dead: Log; owner: number }>()
  const logsOf = ({ outputTopic }: DerivedPartition) => {
    const known = logs.get(outputTopic) ?? { derived: [], dead: [], owner: 0 }
    logs.set(outputTopic, known)
    return known
  }

  function laneInto(of: DerivedPartition, kind: 'derived' | 'dead', owner: number): AppendLane {
    let last: Promise<unknown> = Promise.resolve()
    let error: KafkaError | undefined
    const to = logsOf(of)

    async function write(records: readonly EncodedRecord[]): Promise<bigint> {
      await delay(random() * 3)
      if (error !== undefined) throw new KafkaError('kafka.not_sent', 'ended')
      const placed = records.map(({ body }) => {
        const text = body.toString('latin1')
        return { offset: BigInt(SOURCE.exec(text)?.[1] ?? -1), text }
      })
      const { fenced, unknown, isRefused } = faults()
      if (owner !== to.owner || random() < fenced) error = new KafkaError('kafka.fenced', 'fenced')
      else if (kind === 'derived' && placed.some(({ offset }) => isRefused(offset)))
        error = new KafkaError('kafka.too_large', 'too large')
      if (error !== undefined) throw error
      const isLost = random() < unknown
      if (!isLost || random() < 0.5) to[kind].push(...placed)
      if (isLost) error = new KafkaError('kafka.outcome_unknown', 'nobody knows')
      if (error !== undefined) throw error
      return BigInt(to[kind].length - records.length)
    }
    return {
      append(records) {
        const done = last.then(() => write(records))
        last = done.catch(() => undefined)
        return done
      },
      close: () => void (error ??= new KafkaError('kafka.not_sent', 'closed')),
    }
  }

  const acquire: PartitionLogs['acquire'] = async (of, mayOwn) => {
    await delay(random() * 3)
    const to = logsOf(of)
    to.owner += 1
    const { owner } = to
    if (!(await mayOwn())) throw new KafkaError('kafka.fenced', 'not now')
    const lasts = [to.derived.at(-1), to.dead.at(-1)].map((one) => one?.offset ?? -1n)
    const last = lasts.reduce((a, b) => (a > b ? a : b))
    const next = last < 0n ? of.startOffset : last + 1n
    const [derived, dead] = [laneInto(of, 'derived', owner), laneInto(of, 'dead', owner)]
    const close = (): void => {
      derived.close()
      dead.close()
    }
    return {
      next,
      end: BigInt(to.derived.length),
      derived,
      dead,
      epoch: owner,
      close,
    } satisfies Owned
  }
  return { acquire, logsOf }
}

/** Delivers the records from an offset on, with delays, in batches of random length. */
export function simulatedFetcher(
  random: Random,
  log: {
    records: SourceRecord[]
    end: bigint
    readers: number
    given(records: readonly SourceRecord[]): void
  },
): Fetcher {
  return {
    follow({ from }, sink) {
      let at = from
      log.readers += 1
      let state: 'reading' | 'paused' | 'closed' = 'reading'
      const read = async (): Promise<void> => {
        while (state !== 'closed') {
          await delay(random() * 4)
          if (state !== 'reading' || at >= log.end) continue
          const rest = log.records.filter(({ offset }) => offset >= at)
          const some = rest.slice(0, 1 + Math.floor(random() * 40))
          const next = some.length === rest.length ? log.end : (some.at(-1)?.offset ?? at) + 1n
          at = next
          log.given(some)
          sink.onRecords(some, next, log.end)
        }
      }
      void read()
      return {
        pause: () => void (state = state === 'reading' ? 'paused' : state),
        resume: () => void (state = state === 'paused' ? 'reading' : state),
        seek: (to) => void (at = to),
        close() {
          state = 'closed'
          log.readers -= 1
        },
      }
    },
  }
}
