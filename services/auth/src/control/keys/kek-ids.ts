// Finds the KEKs that wrap versions of a wrapping key. When these KEKs are destroyed, nobody can decrypt old logs.
import { kekOf } from '@weir/fieldcrypt'
import type { KeyStore } from '@weir/control-state'
import { wrappingKeyId } from '@weir/control-state'

/** Returns each id once, in alphabetical order, without those of removed versions. */
export function kekIdsOf(
  keys: Pick<KeyStore, 'get'>,
  keyName: string,
  versions: Iterable<number>,
): string[] {
  const ids = new Set<string>()
  for (const version of versions) {
    const recordKey = wrappingKeyId(keyName, version)
    const value = keys.get(recordKey)
    if (value !== undefined) ids.add(kekOf(recordKey, value))
  }
  return [...ids].sort()
}
