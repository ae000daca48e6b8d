// Compares a dead letter topic with its input topic, by partition. Each record that is no event must have one dead
// letter, in order, and no other record may have one.
import type { SourceRecord } from '@weir/kafka'

import type { TestOutput } from '../streams.ts'
import { recordPlaceOf } from './stored.ts'
import type { Violations } from './violations.ts'

/** One partition: the input's records that are no events, and the dead letters, in order. */
export type DeadPair = {
  readonly partition: number
  readonly input: readonly SourceRecord[]
  readonly dead: readonly SourceRecord[]
}

export function checkDead(
  { violations }: { readonly violations: Violations },
  stream: TestOutput,
  { partition, input, dead }: DeadPair,
): void {
  const sources = new Map(
    input.map((record) => [recordPlaceOf(stream.input.topic, record), record]),
  )
  const seen = new Set<string>()
  let last = -1n
  for (const record of dead) {
    const place = recordPlaceOf(`${stream.topic}.dead`, record)
    const sourcePlace = record.headers['svc-source']?.toString() ?? 'nowhere'
    const source = sources.get(sourcePlace)
    const code = record.headers['svc-error']?.toString()
    if (source === undefined) {
      violations.add('dead', place, `is of ${sourcePlace}, dead as ${code}`)
      continue
    }
    if (seen.has(sourcePlace)) violations.add('derived-twice', place, `from ${sourcePlace}`)
    else if (source.offset < last)
      violations.add('order', place, `${sourcePlace} comes after offset ${last}`)
    if (!isKept(record, source)) violations.add('derived-wrongly', place, `dead as ${code}`)
    seen.add(sourcePlace)
    last = source.offset
  }
  for (const [place, { offset }] of sources)
    if (isWanted(stream, partition, offset) && !seen.has(place))
      violations.add('not-derived', `${stream.topic}.dead`, `${place} is missing`)
}

function isWanted({ start, gaps }: TestOutput, partition: number, offset: bigint): boolean {
  const isGone = gaps.some(
    (gap) => gap.partition === partition && offset >= gap.from && offset < gap.to,
  )
  return !isGone && offset >= (start[partition]?.latest ?? 0n)
}

const isKept = (record: SourceRecord, source: SourceRecord): boolean =>
  record.headers['svc-error']?.toString() === 'corrupt' &&
  record.headers['svc-time']?.toString() === String(source.timestampMs) &&
  record.value?.toString('hex') === source.value?.toString('hex')
