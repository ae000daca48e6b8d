// The audit log during a restore of control state. An existing log is kept, and continues after its last entry. A lost
// log is restored up to the entry that the backup's control state names. In both cases the restore adds an entry of its
// own, and the chain is intact.
import type { AddressedRecord } from '@weir/kafka'
import {
  auditHeadKey,
  auditTopic,
  controlTopic,
  controlValue,
  hashOf,
  nextEntry,
  noEntries,
  parseControlRecord,
  parseEntry,
} from '@weir/control-state'
import type { AuditHead } from '@weir/control-state'

/** Returns the records to write. `last`: the last entry of the existing log, if there is one. */
export function withAuditLog(
  records: readonly AddressedRecord[],
  last: Buffer | undefined,
  { nowMs, erasuresLostSince }: { readonly nowMs: number; readonly erasuresLostSince?: string },
): AddressedRecord[] {
  const state = records.filter((record) => record.topic !== auditTopic && !isHead(record))
  const known = seqOfHead(records.findLast(isHead))
  const entries =
    last === undefined
      ? records.filter((record) => record.topic === auditTopic && seqOf(record) <= known)
      : []
  const end = last ?? entries.at(-1)?.value
  const { value, head } = nextEntry(
    end === undefined || end === null ? noEntries : headOf(Buffer.from(end)),
    {
      action: 'backup.restore',
      actor: { kind: 'auth' },
      target: {
        count: state.length,
        ...(erasuresLostSince === undefined ? {} : { erasuresLostSince }),
      },
    },
    nowMs,
  )
  return [
    ...state,
    ...entries,
    { topic: controlTopic, partition: 0, key: auditHeadKey, value: headValue(head) },
    { topic: auditTopic, partition: 0, key: null, value, timestampMs: nowMs },
  ]
}

const isHead = ({ topic, key }: AddressedRecord): boolean =>
  topic === controlTopic && key?.toString() === auditHeadKey

const headValue = (head: AuditHead): Buffer => controlValue({ type: 'audit-head', ...head })

function seqOfHead(head: AddressedRecord | undefined): number {
  const value = head?.value ?? null
  const record = value === null ? undefined : parseControlRecord(auditHeadKey, Buffer.from(value))
  return record?.type === 'audit-head' ? record.seq : noEntries.seq
}

const seqOf = ({ value }: AddressedRecord): number =>
  value === null ? noEntries.seq : parseEntry('', Buffer.from(value)).seq

const headOf = (entry: Buffer): AuditHead => ({
  seq: parseEntry('', entry).seq,
  hash: hashOf(entry),
})
