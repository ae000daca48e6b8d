// Wrapping keys at rest. A wrapping key wraps key records. A key-encryption key (KEK), for example in a KMS, wraps the
// wrapping key. A service uses KEKs only a few times per start.
//
//   value = %x01 kek-length kek wrapped
//   kek-length = OCTET
//   kek   = <provider> ":" <name> ":" <version>        ; UTF-8
//   wrapped = *OCTET                                    ; in the provider's format
import { recordUnreadable } from './errors.ts'
import { checkedKey, KEY_BYTES } from './tree/parts.ts'

/**
 * One source of KEKs, or several. Binds the wrapped bytes to the record key. The id of a KEK begins with the name of
 * its provider: `file`, `env` or `vault`.
 */
export type KekProvider = {
  /** Wraps with the newest version of its KEK, and returns the id of this version. */
  wrap(recordKey: string, plain: Buffer): Promise<{ kek: string; wrapped: Buffer }>
  /** Throws if the record key, the KEK or the bytes are not those of `wrap`. */
  unwrap(recordKey: string, kek: string, wrapped: Buffer): Promise<Buffer>
  /** Returns whether the provider still has this KEK, even if it can't unwrap now. Throws if it can't tell. */
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

/** Returns the id of the KEK that wraps a wrapping key. Throws `record_unreadable`. */
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
