// What each format of an export is: something that takes events one by one and writes bytes.
import type { Fields } from './convert.ts'

/** Where bytes go; a slow one is waited for. */
export type Sink = { write(bytes: Uint8Array): Promise<void> }

export type EventWriter = {
  /** `sizeBytes`: about how much it is, as it was stored. */
  write(row: Fields, sizeBytes: number): Promise<void>
  finish(): Promise<void>
}
