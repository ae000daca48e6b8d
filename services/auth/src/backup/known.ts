// A backup holds what this release understands: it neither saves nor restores records of a newer one.
import { hasCode } from '@weir/kit'
import {
  auditTopic,
  checkKeyRecord,
  controlTopic,
  keysTopic,
  parseControlRecord,
  parseEntry,
} from '@weir/control-state'

type Bytes = Buffer | string | null

const readers: Readonly<Record<string, (key: string, value: Buffer) => unknown>> = {
  [controlTopic]: parseControlRecord,
  [keysTopic]: checkKeyRecord,
  [auditTopic]: parseEntry,
}

/** @throws AppError `record_not_known`; what is not of Weir's making is kept as it is, for `weir audit verify` to find */
export function requireKnown(topic: string, key: Bytes, value: Bytes): void {
  if (value === null) return
  try {
    readers[topic]?.(key?.toString() ?? '', Buffer.from(value))
  } catch (error) {
    if (!hasCode(error, 'control-state.record_malformed')) throw error
  }
}
