// Which KEKs wrap versions of a wrapping key, by their ids: what has to be destroyed for old logs to be dead.
import { kekOf } from '@weir/fieldcrypt'
import type { KeyStore } from '@weir/control-state'
import { wrappingKeyId } from '@weir/control-state'

/** Each once, in alphabetical order; versions that are gone say nothing any more. */
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
