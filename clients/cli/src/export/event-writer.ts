// The interfaces of the writers of all formats: they get events one by one, and write bytes.
import type { JsonObject } from '../json.ts'

/** The target of an export. `write` resolves when the target is ready for more bytes. */
export type EventSink = { write(bytes: Uint8Array): Promise<void> }

export type EventWriter = {
  /** `sizeBytes` is the approximate size of the event in Kafka. */
  write(row: JsonObject, sizeBytes: number): Promise<void>
  finish(): Promise<void>
}
