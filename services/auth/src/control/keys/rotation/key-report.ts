// Reports which wrapping key wraps each key record, and which KEK wraps each wrapping key. The records themselves
// contain this, so nothing is unwrapped, and no KMS is called.
import { kekOf, keyNameOfPart, keyVersionOf, SIGN_KEY_NAME } from '@weir/fieldcrypt'
import type { KeyStore, RotationRecord, StateFollower } from '@weir/control-state'
import { isWrappingKeyId, versionOfKeyId } from '@weir/control-state'
import type { AnswerNamed } from '../../../api/answers/answers.ts'

/** `parts`: the number of key records and private keys that this version wraps. */
type WrappingKeyReport = Omit<KeyReport['rings'][number], 'isNewest'>

const nameOfKeyId = (recordKey: string): string => recordKey.split('/')[1] ?? ''

/**
 * Returns the name of the wrapping key for a record of `weir.keys`; undefined for wrapping keys and for records without
 * a key.
 */
export function keyNameOfRecord(recordKey: string): string | undefined {
  if (/^_(signing|receipt)\//.test(recordKey)) return SIGN_KEY_NAME
  if (recordKey.startsWith('_')) return undefined
  return keyNameOfPart(recordKey.slice(recordKey.lastIndexOf('/') + 1))
}

/** Sorted by name and version. */
function reportWrappingKeys(store: Pick<KeyStore, 'keys' | 'get'>): WrappingKeyReport[] {
  const partsUnder = new Map<string, number>()
  const rings: Omit<WrappingKeyReport, 'parts'>[] = []
  for (const recordKey of store.keys()) {
    const value = store.get(recordKey)
    if (value === undefined) continue
    const ring = keyNameOfRecord(recordKey)
    if (isWrappingKeyId(recordKey)) {
      const version = versionOfKeyId(recordKey)
      rings.push({ ring: nameOfKeyId(recordKey), version, kek: kekOf(recordKey, value) })
    } else if (ring !== undefined) {
      const under = `${ring}/${keyVersionOf(value)}`
      partsUnder.set(under, (partsUnder.get(under) ?? 0) + 1)
    }
  }
  return rings
    .map((each) => ({ ...each, parts: partsUnder.get(`${each.ring}/${each.version}`) ?? 0 }))
    .sort((a, b) => (a.ring === b.ring ? a.version - b.version : a.ring < b.ring ? -1 : 1))
}

/** Returns the keys of the records that are wrapped by older versions than `versions`. */
export function partsBehind(
  store: Pick<KeyStore, 'keys' | 'get'>,
  versions: Readonly<Record<string, number>>,
): string[] {
  const behind: string[] = []
  for (const recordKey of store.keys()) {
    const value = store.get(recordKey)
    if (value !== undefined && isBehind(recordKey, value, versions)) behind.push(recordKey)
  }
  return behind
}

export function isBehind(
  recordKey: string,
  value: Buffer,
  versions: Readonly<Record<string, number>>,
): boolean {
  const ring = keyNameOfRecord(recordKey)
  const wanted = ring === undefined ? undefined : versions[ring]
  return wanted !== undefined && keyVersionOf(value) < wanted
}

export function newestVersions(recordKeys: Iterable<string>): Map<string, number> {
  const newest = new Map<string, number>()
  for (const recordKey of recordKeys) {
    if (!isWrappingKeyId(recordKey)) continue
    const ring = nameOfKeyId(recordKey)
    newest.set(ring, Math.max(newest.get(ring) ?? 0, versionOfKeyId(recordKey)))
  }
  return newest
}

export type KeyReport = {
  readonly rings: AnswerNamed<'Keys'>['rings']
  readonly rotation: RotationRecord | undefined
  /** The number of key records that the rotation has not wrapped again yet. */
  readonly partsLeft: number
}

export function keyReport({
  tables,
  keyStore,
}: Pick<StateFollower, 'tables' | 'keyStore'>): KeyReport {
  const newest = newestVersions(keyStore.under('_ring/'))
  const rotation = tables.rotation()
  return {
    rings: reportWrappingKeys(keyStore).map((each) => ({
      ...each,
      isNewest: newest.get(each.ring) === each.version,
    })),
    rotation,
    partsLeft: rotation === undefined ? 0 : partsBehind(keyStore, rotation.rings).length,
  }
}
