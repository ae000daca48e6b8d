// Checks whether a restore knows all erasures. Their entries come from Kafka's `weir.erasures`, the backup and a later
// copy. If Kafka still has the audit log, its hashes of all entries show whether one is missing.
import type { AddressedRecord } from '@weir/kafka'
import { AppError } from '@weir/kit'
import {
  ERASURE_LOG_KEY,
  auditTopic,
  erasuresTopic,
  hashOf,
  isWrappingKeyId,
  keysTopic,
  parseEntry,
  wrappingKeyId,
} from '@weir/control-state'
import type { AuditEntry } from '@weir/control-state'
import type { SavedRecord } from './lines.ts'

/** Records of `weir.erasures`, from all sources. */
export type Sources = {
  /** What Kafka still has. */
  readonly live: readonly SavedRecord[]
  readonly backup: readonly SavedRecord[]
  readonly copy: readonly SavedRecord[]
}

/**
 * Returns the entries of Kafka's audit log that are newer than those in the backup. Returns undefined if Kafka's log is
 * empty or ends before that of the backup, because it then doesn't show all erasures.
 */
export function liveEntries(
  live: readonly (Buffer | null)[],
  backedUp: readonly AddressedRecord[],
): AuditEntry[] | undefined {
  const entries = live.flatMap((value) => (value === null ? [] : [parseEntry('', value)]))
  const lastOf = (all: readonly AuditEntry[]): number => all.at(-1)?.seq ?? 0
  const saved = backedUp.flatMap(({ topic, value }) =>
    topic === auditTopic && value !== null ? [parseEntry('', Buffer.from(value))] : [],
  )
  const isContinued = entries.length > 0 && lastOf(entries) >= lastOf(saved)
  return isContinued ? entries.filter(({ seq }) => seq > lastOf(saved)) : undefined
}

export type LostSince = { readonly sinceMs?: number }

export type ErasureSources = {
  /** Undefined if the audit log is lost. */
  readonly entries: readonly AuditEntry[] | undefined
  readonly sources: Sources
  readonly copyMadeAtMs: number | undefined
  /** What the operator says: a time, or `never` if no service ran since the backup or the copy. */
  readonly lostSince: number | 'never' | undefined
}

/**
 * Returns since when erasures may be unknown. `sinceMs` is missing if all are known.
 * @throws AppError `backup.erasures_unknown` without `lostSince`, if entries are missing, or both audit log and copy
 */
export function erasuresLostSince({
  entries,
  sources,
  copyMadeAtMs,
  lostSince,
}: ErasureSources): LostSince {
  const missing = entries && missingIn(entries, sources)
  if (missing?.length === 0 || lostSince === 'never') return {}
  if (lostSince !== undefined) return { sinceMs: lostSince }
  if (missing === undefined && copyMadeAtMs !== undefined) return { sinceMs: copyMadeAtMs }
  const first = missing?.[0]?.time
  throw new AppError(
    'backup.erasures_unknown',
    (first === undefined
      ? 'Kafka has lost the audit log, so erasures after the backup are unknown.'
      : `${missing?.length} erasures or removals of keys since ${first} are missing: neither Kafka nor the backup has them.`) +
      ' Restore with --erasures FILE, a later copy of the erasures. Without one, say since when erasures are lost: ' +
      '--erasures-lost-since TIME. If no service has run since the backup: --erasures-lost-since never.',
  )
}

function missingIn(entries: readonly AuditEntry[], sources: Sources): AuditEntry[] {
  const known = new Set(
    Object.values(sources).flatMap((records) =>
      records.flatMap(({ value }) => (value === null ? [] : [hashOf(Buffer.from(value))])),
    ),
  )
  return entries.filter(({ target }) => target.logged?.some((hash) => !known.has(hash)))
}

/** Returns the entries that Kafka has lost. */
export function lostEntries({ live, backup, copy }: Sources): SavedRecord[] {
  const there = new Set(live.map(recordName))
  const lost = new Map<string, SavedRecord>()
  for (const record of [...backup, ...copy])
    if (!there.has(recordName(record)) && !isWrappingKeyId(recordName(record)))
      lost.set(recordName(record), record)
  return [...lost.values()]
}

/**
 * Returns the newest record of each version of the entries' wrapping key, for `weir.erasures` and for `weir.keys`.
 * Older records may need a KEK that no longer exists.
 */
export function logKeys(
  { live, backup, copy }: Sources,
  keys: readonly SavedRecord[],
): SavedRecord[] {
  const newest = new Map<string, SavedRecord>()
  for (const record of [...keys, ...backup, ...copy, ...live]) {
    const name = recordName(record)
    if (!name.startsWith(wrappingKeyId(ERASURE_LOG_KEY, ''))) continue
    if (record.timestampMs >= (newest.get(name)?.timestampMs ?? 0)) newest.set(name, record)
  }
  const both = [erasuresTopic, keysTopic]
  return [...newest.values()].flatMap((record) => both.map((topic) => ({ ...record, topic })))
}

export const recordName = ({ key }: Pick<AddressedRecord, 'key'>): string => key?.toString() ?? ''
