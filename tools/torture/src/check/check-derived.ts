// Compares a derived topic with its input topic, by partition. Each record that must be derived is in the topic once
// and in order. Each derived record equals its source, with only the permitted fields decrypted.
import type { SourceRecord } from '@weir/kafka'

import { decode, piiOf, putAt, plainValueAt } from '../events.ts'
import type { Kind, Plain } from '../events.ts'
import type { Ledger } from '../ledger.ts'
import type { Fate, TorturePeople } from '../people.ts'
import { opensInTopic, passes } from '../streams.ts'
import type { TestOutput } from '../streams.ts'
import { recordPlaceOf, readStored } from './stored.ts'
import type { Stored } from './stored.ts'
import type { Violations } from './violations.ts'

type CheckDeps = {
  kinds: readonly Kind[]
  ledger: Ledger
  people: Pick<TorturePeople, 'fateOf'>
  violations: Violations
}

/** The records of one partition in the input and in the derived topic, both in order. */
export type PartitionPair = {
  readonly partition: number
  readonly input: readonly SourceRecord[]
  readonly derived: readonly SourceRecord[]
}

const headersOfSource = ['svc-schema-id', 'svc-key-link']
/** The number of headers that output adds: `svc-source` and `svc-time`. */
const ownHeaders = 2
const FRAME_BYTES = 5

export function checkDerived(deps: CheckDeps, stream: TestOutput, pair: PartitionPair): void {
  const sources = new Map(
    pair.input.map((record) => [recordPlaceOf(stream.input.topic, record), record]),
  )
  const seen = new Set<string>()
  let last = -1n
  for (const record of pair.derived) {
    const place = recordPlaceOf(stream.topic, record)
    const sourcePlace = record.headers['svc-source']?.toString('utf8') ?? 'nowhere'
    const source = sources.get(sourcePlace)
    if (source === undefined) {
      const what = `says that it comes from ${sourcePlace}, which is not in partition ${pair.partition}`
      deps.violations.add('derived-wrongly', place, what)
      continue
    }
    if (seen.has(sourcePlace)) deps.violations.add('derived-twice', place, `from ${sourcePlace}`)
    else if (source.offset < last)
      deps.violations.add('order', place, `${sourcePlace} comes after offset ${last}`)
    seen.add(sourcePlace)
    last = source.offset
    checkRecord(deps, stream, { record, source })
  }
  checkComplete(deps, stream, { pair, seen })
}

function checkComplete(
  { kinds, ledger, people, violations }: CheckDeps,
  stream: TestOutput,
  { pair, seen }: { pair: PartitionPair; seen: ReadonlySet<string> },
): void {
  const start = stream.start[pair.partition] ?? { earliest: 0n, latest: 0n }
  const gaps = stream.gaps.filter(({ partition }) => partition === pair.partition)
  let hasBegun = false
  for (const record of pair.input) {
    const place = recordPlaceOf(stream.input.topic, record)
    const number = readStored(kinds, record)?.number
    const event = number === undefined ? undefined : ledger.find(number)
    if (event === undefined || !passes(stream.levels, event.consentLevels)) continue
    const isThere = seen.has(place)
    const { offset } = record
    const isGone = gaps.some(({ from, to }) => offset >= from && offset < to)
    if (isThere && (isGone || offset < start.earliest))
      violations.add('derived-wrongly', stream.topic, `holds ${place}, which it can't have read`)
    // A stream may start anywhere from `earliest` to `latest`, but must contain all records after its first one.
    const { mayBeGone } = people.fateOf(event, Infinity)
    const isKept = !stream.levels.levels.some((level) => mayBeGone.has(level))
    const isWanted = (offset >= start.latest || hasBegun) && !isGone && isKept
    if (isWanted && !isThere) violations.add('not-derived', stream.topic, `${place} is missing`)
    hasBegun ||= isThere
  }
}

type Both = { record: SourceRecord; source: SourceRecord }

function checkRecord(
  { kinds, ledger, people, violations }: CheckDeps,
  stream: TestOutput,
  { record, source }: Both,
): void {
  const place = recordPlaceOf(stream.topic, record)
  const stored = readStored(kinds, source)
  const event = stored?.number === undefined ? undefined : ledger.find(stored.number)
  if (stored === undefined || event === undefined) return // the input check reports it
  if (!passes(stream.levels, event.consentLevels))
    violations.add('derived-wrongly', place, `its consent is [${event.consentLevels.join()}]`)
  const fate = people.fateOf(event, record.timestampMs)
  const withdrawn = stream.levels.levels.filter((level) => fate.gone.has(level))
  if (withdrawn.length > 0)
    violations.add('derived-wrongly', place, `level ${withdrawn.join()} was withdrawn before`)
  const content = contentOf(event.kind, record)
  const closed: string[] = []
  for (const [path, level] of event.kind.levels) {
    const value = piiOf(event).get(path)
    const isClosed = typeof value === 'string' && isClosedIn({ fate, stored, content }, path, level)
    if (opensInTopic(stream.levels, level) && !isClosed) putAt(stored.plain, path, value)
    else if (typeof value === 'string' && record.value?.includes(value))
      violations.add('decrypted-too-much', place, `shows ${path}, which is of level ${level}`)
    if (opensInTopic(stream.levels, level) && isClosed) closed.push(path)
  }
  if (JSON.stringify(content) !== JSON.stringify(stored.plain))
    violations.add(
      'derived-wrongly',
      place,
      `is not what ${recordPlaceOf('', source)} has to become`,
    )
  if (!isEnvelopeKept({ record, source }, closed))
    violations.add('derived-wrongly', place, 'has another key, time or headers than its source')
}

type Closing = { fate: Fate; stored: Stored; content: Plain | undefined }

/** Returns true if the field must be encrypted, or if it may be encrypted and is. */
function isClosedIn({ fate, stored, content }: Closing, path: string, level: number): boolean {
  const closed = fate.closed(level)
  if (closed !== 'either') return closed === 'yes'
  return content !== undefined && plainValueAt(content, path) === plainValueAt(stored.plain, path)
}

function contentOf(kind: Kind, { value }: SourceRecord): Plain | undefined {
  try {
    return value === null ? undefined : decode(kind, value.subarray(FRAME_BYTES))
  } catch {
    return undefined
  }
}

function isEnvelopeKept({ record, source }: Both, closed: readonly string[]): boolean {
  const frames = [record, source].map(({ value }) =>
    value?.subarray(0, FRAME_BYTES).toString('hex'),
  )
  return (
    record.partition === source.partition &&
    record.key?.toString('hex') === source.key?.toString('hex') &&
    record.headers['svc-time']?.toString() === String(source.timestampMs) &&
    frames[0] === frames[1] &&
    Object.keys(record.headers).length ===
      headersOfSource.length + ownHeaders + (closed.length > 0 ? 1 : 0) &&
    sorted(record.headers['svc-undecryptable']?.toString() ?? '') === sorted(closed.join(',')) &&
    headersOfSource.every(
      (name) => record.headers[name]?.toString('hex') === source.headers[name]?.toString('hex'),
    )
  )
}

const sorted = (list: string): string => list.split(',').toSorted().join(',')
