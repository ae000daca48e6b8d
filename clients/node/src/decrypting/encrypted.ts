// Finds the encrypted texts in an event, and decrypts them (docs/keys.md An encrypted field). Pure.
import { aessiv } from '@noble/ciphers/aes.js'
import type { Bytes } from '../reading/record.ts'
import { isObject } from '../json.ts'

/**
 * Why a value stays encrypted. `erased`: nobody can decrypt fields of this person any more. `expired`: the event is
 * older than the stream's keys. `refused`: the output may not show the event any more. `unknown`: Weir did not encrypt
 * the value for this event. `no_key`: the output may not decrypt the field, or the person has withdrawn the field's
 * level.
 */
export type EncryptedReason = 'erased' | 'expired' | 'refused' | 'unknown' | 'no_key'

/** A value that can't be decrypted. As a string and in JSON, it is the encrypted text. */
export class Encrypted {
  readonly text: string
  readonly reason: EncryptedReason

  constructor(text: string, reason: EncryptedReason) {
    this.text = text
    this.reason = reason
  }

  toString(): string {
    return this.text
  }
  toJSON(): string {
    return this.text
  }
}

/** The type of a decrypted event: each text of the event is a string, or an `Encrypted`. */
export type Decrypted<Event> = unknown extends Event
  ? Event
  : Event extends string
    ? string extends Event
      ? Event | Encrypted
      : Event
    : Event extends Date | Uint8Array
      ? Event
      : Event extends object
        ? { [Field in keyof Event]: Decrypted<Event[Field]> }
        : Event

/** The keys of an event's person, 64 bytes each, or why there are no keys. */
export type KeysOrReason = readonly Uint8Array[] | EncryptedReason

/** Calls `change` for each text that is encrypted for the keyLink, and returns a copy with the results. */
export function mapEncrypted(
  event: unknown,
  keyLink: Bytes,
  change: (text: string, path: readonly string[]) => unknown,
): unknown {
  const prefix = Buffer.concat([Buffer.of(1), keyLink.subarray(0, 4)])
  const isEncrypted = (text: string): boolean =>
    text.length >= 28 && Buffer.from(text.slice(0, 8), 'base64').subarray(0, 5).equals(prefix)
  const copy = (value: unknown, path: readonly string[]): unknown => {
    if (typeof value === 'string') return isEncrypted(value) ? change(value, path) : value
    if (Array.isArray(value)) return value.map((item: unknown) => copy(item, path))
    if (!isObject(value) || ArrayBuffer.isView(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, copy(item, [...path, name])]),
    )
  }
  return copy(event, [])
}

/** Returns the value, or an `Encrypted` if no key decrypts the text. */
export function decryptText(
  text: string,
  path: readonly string[],
  keys: KeysOrReason,
): string | Encrypted {
  if (typeof keys === 'string') return new Encrypted(text, keys)
  const bytes = Buffer.from(text, 'base64').subarray(5)
  for (const name of pathsOf(path))
    for (const key of keys) {
      const value = tryDecrypt(key, name, bytes)
      if (value !== undefined) return value
    }
  return new Encrypted(text, 'no_key')
}

/**
 * Returns the paths that a field may have in the contract. Only the right path decrypts. Some decoders wrap a union's
 * value in an object whose member has the branch's name. The right path lacks this name.
 */
function pathsOf(path: readonly string[]): string[] {
  const unwrapped = path.filter((name) => !/^(string|array)$|\./.test(name))
  return [...new Set([path.join('/'), unwrapped.join('/')])]
}

const decoder = new TextDecoder('utf-8', { fatal: true })

function tryDecrypt(key: Uint8Array, path: string, bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(aessiv(key, Buffer.from(path, 'utf8')).decrypt(bytes))
  } catch {
    return undefined
  }
}
