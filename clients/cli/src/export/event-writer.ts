// The formats of an export: each takes events one by one and writes bytes.
import type { JsonObject } from '../json.ts'

/** Where bytes are written. A slow sink is waited for. */
export type EventSink = { write(bytes: Uint8Array): Promise<void> }

export type EventWriter = {
  /** `sizeBytes`: the approximate size as stored. */
  write(row: JsonObject, sizeBytes: number): Promise<void>
  finish(): Promise<void>
}
