// A backup contains only records that this release understands. Records of a newer release are neither saved nor
// restored.
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
 * Records that Weir didn't write pass unchanged; `weir audit verify` finds them.
 * @throws AppError `record_not_known`
 */
export function requireKnown(topic: string, key: Bytes, value: Bytes): void {
  if (value === null) return
  try {
    readers[topic]?.(key?.toString() ?? '', Buffer.from(value))
  } catch (error) {
    if (!hasCode(error, 'control-state.record_malformed')) throw error
  }
}
