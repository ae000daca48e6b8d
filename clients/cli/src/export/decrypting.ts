// Decrypts the events of an output with `decryptAt: reader` before they are written, in their order. Decrypts many
// events together, because their keys are then requested together.
import { Encrypted, ReadError } from '@weir/client'
import type { EncryptedEvent, EncryptedReason } from '@weir/client'
import { failure } from '../errors.ts'
import { isObject } from '../json.ts'
import type { JsonObject } from '../json.ts'
import type { FormatWriter, StoredEvent } from './format-writer.ts'

const eventsMax = 1_000
const bytesMax = 16_777_216

/** The number of values that stay encrypted, by reason. */
export type StillEncrypted = Map<EncryptedReason, number>

/** A `Decrypter` that does not know the events' type. */
export type UntypedDecrypter = {
  decrypt(events: readonly EncryptedEvent[]): Promise<unknown[]>
}

/** Counts in `still` the values that stay encrypted. */
export function createDecrypting(
  decrypter: UntypedDecrypter,
  writer: FormatWriter,
  still: StillEncrypted,
): FormatWriter {
  let held: StoredEvent[] = []
  let bytes = 0
  const flush = async (): Promise<void> => {
    const events = held
    held = []
    bytes = 0
    const asked = events.map(({ record: { headers }, event }) => ({ headers, event }))
    const decrypted = await decrypter.decrypt(asked).catch((error: unknown) => {
      throw explained(error)
    })
    for (const [nth, one] of events.entries())
      await writer.add({ ...one, event: fieldsOf(asTexts(decrypted[nth], still)) })
  }
  return {
    async add(event) {
      held.push(event)
      bytes += event.record.value?.length ?? 0
      if (held.length >= eventsMax || bytes >= bytesMax) await flush()
    },
    async finish() {
      await flush()
      await writer.finish()
    },
  }
}

const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {})

function asTexts(value: unknown, still: StillEncrypted): unknown {
  if (value instanceof Encrypted) {
    still.set(value.reason, (still.get(value.reason) ?? 0) + 1)
    return value.text
  }
  if (Array.isArray(value)) return value.map((item: unknown) => asTexts(item, still))
  if (!isObject(value) || ArrayBuffer.isView(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, asTexts(item, still)]),
  )
}

function explained(error: unknown): unknown {
  if (!(error instanceof ReadError)) return error
  if (error.code !== 'unreachable') return failure(error.message)
  return failure(
    error.message,
    'Output has the keys. Is WEIR_OUTPUT_URL its address? `weir doctor` checks it.',
  )
}
