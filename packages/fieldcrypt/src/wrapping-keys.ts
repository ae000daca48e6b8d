// Wrapping keys at rest. A wrapping key wraps key records, and is itself wrapped by a key-encryption key (KEK) in a
// KMS. The KMS gets 32 bytes a few times per start. The caller configures which KEK wraps which wrapping key.
//
//   value = %x01 kek-length kek wrapped
//   kek-length = OCTET
//   kek   = <provider> ":" <name> ":" <version>        ; UTF-8
//   wrapped = *OCTET                                    ; the provider's own
import { recordUnreadable } from './errors.ts'
import { checkedKey, KEY_BYTES } from './tree/parts.ts'

/**
 * The interface to a KMS, or to several that act as one. It binds the wrapped bytes to the record key. The first
 * segment of its KEKs' ids names the provider: `file`, `env`, `vault`.
 */
export type KekProvider = {
  /** Wraps under the newest version of its KEK, and returns that KEK's id. */
  wrap(recordKey: string, plain: Buffer): Promise<{ kek: string; wrapped: Buffer }>
  /** Throws for any other record key or KEK, and for any change. */
  unwrap(recordKey: string, kek: string, wrapped: Buffer): Promise<Buffer>
  /**
   * Whether the KEK with this id can unwrap, now or later. False only if it is known to be gone. Throws if that is
   * unknown.
   */
  has(kek: string): Promise<boolean>
}

const FORMAT = 0x01

export async function wrapByKek(
  provider: KekProvider,
  recordKey: string,
  wrappingKey: Buffer,
): Promise<Buffer> {
  const { kek, wrapped } = await provider.wrap(recordKey, wrappingKey)
  const id = Buffer.from(kek, 'utf8')
  if (id.length > 255) throw new RangeError('the id of a KEK has at most 255 bytes')
  return Buffer.concat([Buffer.of(FORMAT, id.length), id, wrapped])
}

/** The id of the KEK that wraps a wrapping key. Throws `record_unreadable`. */
export const kekOf = (recordKey: string, value: Buffer): string => parse(recordKey, value).kek

/** Throws `record_unreadable`, or what the provider throws. The caller must overwrite the key after use. */
export async function unwrapByKek(
  provider: KekProvider,
  recordKey: string,
  value: Buffer,
): Promise<Buffer> {
  const { kek, wrapped } = parse(recordKey, value)
  return checkedKey(await provider.unwrap(recordKey, kek, wrapped), KEY_BYTES, recordKey)
}

function parse(recordKey: string, value: Buffer): { kek: string; wrapped: Buffer } {
  const end = 2 + (value[1] ?? 0)
  if (value[0] !== FORMAT || value.length < end) throw recordUnreadable(`record ${recordKey}`)
  return { kek: value.toString('utf8', 2, end), wrapped: value.subarray(end) }
}
