// Chains the entries of the audit log: each entry contains the SHA-256 of the bytes of the previous entry, and control
// state contains that of the newest entry. No I/O.
import { createHash } from 'node:crypto'
import type { Audited, AuditEntry, AuditHead } from './audit.ts'
import { entryValue } from './entry-form.ts'

export const auditHeadKey = 'audit/head'
export const noEntries: AuditHead = { seq: 0, hash: '0'.repeat(64) }

/** Returns the next entry, as stored in the topic, and the new head. */
export function nextEntry(
  { seq, hash }: AuditHead,
  { action, actor, target, refused }: Audited,
  nowMs: number,
): { value: Buffer; head: AuditHead } {
  const entry: AuditEntry = {
    seq: seq + 1,
    prev: hash,
    time: new Date(nowMs).toISOString(),
    by: actor,
    action,
    target,
    ...(refused === undefined
      ? { outcome: 'done' as const }
      : { outcome: 'refused' as const, code: refused }),
  }
  const value = entryValue(entry)
  return { value, head: { seq: entry.seq, hash: hashOf(value) } }
}

export const hashOf = (value: Buffer): string => createHash('sha256').update(value).digest('hex')
