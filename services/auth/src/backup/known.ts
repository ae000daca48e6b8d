// A record of a newer release stops a backup or restore, because this release does not understand it.
import { hasCode } from '@weir/kit'
import {
  auditTopic,
  checkKeyRecord,
  checkSubjectLink,
  controlTopic,
  keysTopic,
  parseControlRecord,
  parseEntry,
  subjectsTopic,
} from '@weir/control-state'

type Bytes = Buffer | string | null

const readers: Readonly<Record<string, (key: string, value: Buffer) => unknown>> = {
  [controlTopic]: parseControlRecord,
  [keysTopic]: checkKeyRecord,
  [auditTopic]: parseEntry,
  [subjectsTopic]: checkSubjectLink,
}

/**
 * Accepts records that Weir didn't write. `weir audit verify` finds them in the audit log.
 * @throws ControlStateError `control-state.record_not_known`
 */
export function requireKnown(topic: string, key: Bytes, value: Bytes): void {
  if (value === null) return
  try {
    readers[topic]?.(key?.toString() ?? '', Buffer.from(value))
  } catch (error) {
    if (!hasCode(error, 'control-state.record_malformed')) throw error
  }
}
