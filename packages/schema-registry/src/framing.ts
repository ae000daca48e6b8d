// Writes and reads the frame before an event's Avro bytes in a record's value. The frame contains the id of the schema
// in the registry.
import { RegistryError } from './errors.ts'

// value     = magic schema-id payload
// magic     = %x00
// schema-id = 4OCTET        ; unsigned, big-endian
// payload   = *OCTET        ; one Avro datum, binary
const MAGIC = 0
const HEADER_BYTES = 5

export type Framed = { readonly schemaId: number; readonly payload: Buffer }

export const frame = (schemaId: number, payload: Uint8Array): Buffer =>
  Buffer.concat([frameHead(schemaId), payload])

/** Returns the bytes before the payload. */
export function frameHead(schemaId: number): Buffer {
  const head = Buffer.alloc(HEADER_BYTES)
  head.writeUInt8(MAGIC, 0)
  head.writeUInt32BE(schemaId, 1)
  return head
}

/** The payload shares memory with the value. Throws RegistryError `registry.not_framed`. */
export function unframe(value: Buffer): Framed {
  if (value.byteLength < HEADER_BYTES || value.readUInt8(0) !== MAGIC) {
    throw new RegistryError('registry.not_framed', 'the value does not start with a schema id')
  }
  return { schemaId: value.readUInt32BE(1), payload: value.subarray(HEADER_BYTES) }
}
