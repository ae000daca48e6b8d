// Finds the position of a derived partition. Each record in its two logs names its source: an offset of the input. The
// position is the offset after the last source, or the noted position, whichever is later. The logs are read after the
// fence, up to its own markers, including records that aren't visible to readers yet. If the position is lost,
// derivation stops: a guess could derive an event twice, or skip one.
import type { Admin, LogSearch } from '@weir/kafka'
import type { Log } from '@weir/kit'
import { readOrigin, retriedOutcome } from '../records/headers.ts'
import { DeriveError } from './errors.ts'
import type { Noted, NotedPartition, NotedPositions } from './noted-positions.ts'

/** All names are without Weir's prefix. The two logs share one position. */
export type DerivedPartition = NotedPartition & {
  readonly transactionalId: string
  readonly outputTopic: string
  readonly deadLetterTopic: string
  /** The input offset to start from if the partition contains no derived record yet. */
  readonly startOffset: bigint
  /** The first offsets of the logs, as long as retention has removed no record. */
  readonly logStarts: { readonly derived: bigint; readonly dead: bigint }
}

export type Fenced = {
  /** The epoch of the producer that fenced the partition. */
  readonly epoch: number
  /** The offsets of that producer's transaction markers. */
  readonly derivedEnd: bigint
  readonly deadEnd: bigint
}

export type FindNextDeps = {
  readonly search: Pick<LogSearch, 'findLast'>
  readonly admin: Pick<Admin, 'offsets'>
  readonly noted: NotedPositions
  readonly log: Log
  readonly kafkaPrefix: string
}

/** The returned function throws DeriveError `derive.position_lost`, or a KafkaError as `PartitionLogs.acquire` does. */
export function createFindNext(deps: FindNextDeps) {
  const { noted, log } = deps

  async function replace(of: DerivedPartition, { end }: Noted, now: Noted): Promise<void> {
    const { outputTopic: stream, partition } = of
    log.error(
      { stream, partition, end: `${now.end}`, notedEnd: `${end}`, next: `${now.next}` },
      'Kafka has lost the end of a derived partition: it is derived again from where its logs end',
    )
    // Otherwise the log would grow past the old noted end, and the old position would seem valid again.
    await noted.replace({ of, ...now })
  }

  return async (of: DerivedPartition, fenced: Fenced): Promise<bigint> => {
    const [derived, dead, positions] = await Promise.all([
      findSource(deps, of, { topic: of.outputTopic, to: fenced.derivedEnd }),
      findSource(deps, of, { topic: of.deadLetterTopic, to: fenced.deadEnd }),
      noted.read([of]),
    ])
    const known = positions.get(of)
    const isOfLongerLog = known !== undefined && known.end > fenced.derivedEnd
    const candidates = [derived, dead].flatMap((source) =>
      source === undefined ? [] : source + 1n,
    )
    if (known !== undefined && !isOfLongerLog) candidates.push(known.next)
    const next = latest(candidates) ?? (await startOf(deps, of))
    if (isOfLongerLog)
      await replace(of, known, { next, end: fenced.derivedEnd, epoch: fenced.epoch })
    return next
  }
}

const latest = (offsets: readonly bigint[]): bigint | undefined =>
  offsets.reduce<bigint | undefined>(
    (last, one) => (last === undefined || one > last ? one : last),
    undefined,
  )

/**
 * Returns the input offset of a log's last record, if any. Skips records of retries, because their input offsets are
 * old.
 */
function findSource(
  { search, kafkaPrefix }: Pick<FindNextDeps, 'search' | 'kafkaPrefix'>,
  { inputTopic, partition }: DerivedPartition,
  log: { readonly topic: string; readonly to: bigint },
): Promise<bigint | undefined> {
  const input = kafkaPrefix + inputTopic
  return search.findLast({ ...log, partition }, (record) => {
    if (retriedOutcome(record) !== undefined) return undefined
    const source = readOrigin(record)
    return source?.topic === input && source.partition === partition ? source.offset : undefined
  })
}

/**
 * Returns the position of a partition whose logs contain no source. Reads the log starts after the search: if they are
 * unchanged, retention has removed no record.
 */
async function startOf(
  { admin, kafkaPrefix }: Pick<FindNextDeps, 'admin' | 'kafkaPrefix'>,
  { outputTopic, deadLetterTopic, partition, startOffset, logStarts }: DerivedPartition,
): Promise<bigint> {
  const topics = [outputTopic, deadLetterTopic]
  const [derived, dead] = await Promise.all(topics.map((topic) => admin.offsets.earliest(topic)))
  const isAsMade =
    derived?.[partition] === logStarts.derived && dead?.[partition] === logStarts.dead
  if (isAsMade) return startOffset
  throw new DeriveError(
    'derive.position_lost',
    `Nobody knows how far ${kafkaPrefix}${outputTopic}, partition ${partition}, was derived: retention has removed its records, and no position is noted`,
  )
}
