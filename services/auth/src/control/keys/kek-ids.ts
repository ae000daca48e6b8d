// Which KEKs wrap versions of a ring, by their ids: what has to be destroyed for old logs to be dead.
import { kekOf } from '@weir/fieldcrypt'
import type { KeyStore } from '@weir/control-state'
import { ringKey } from '@weir/control-state'

/** Each once, in alphabetical order; versions that are gone say nothing any more. */
export function kekIdsOf(
  keys: Pick<KeyStore, 'get'>,
  ring: string,
  versions: Iterable<number>,
): string[] {
  const ids = new Set<string>()
  for (const version of versions) {
    const recordKey = ringKey(ring, version)
    const value = keys.get(recordKey)
    if (value !== undefined) ids.add(kekOf(recordKey, value))
  }
  return [...ids].sort()
}
