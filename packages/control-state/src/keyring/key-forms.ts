// The binary values in `weir.keys`. The first byte of each value is its version (docs/formats.md).
//
//   wrapping key, key record of a term or an era, private key: as @weir/fieldcrypt writes them, version 1
//   marker = %x01 *replaced   ; the first record of each transaction (piece) of an erasure
//   replaced = term "/" suffix %x0A     ; a key record of a tree that this transaction replaces
//   cuts   = %x01 *link       ; links that an erasure must still remove
//   link   = 8OCTET
//   beat   = %x01 time        ; written to make Kafka close a log segment
//   restoring = %x01 OCTET     ; exists until a restore is finished; 1: the links of data subjects were lost
//   time   = 8OCTET           ; ms since 1970, big-endian
import { malformed, notKnown } from '../forms/form.ts'
import { keysTopic } from '../records/records.ts'

const version = 0x01
const kinds: readonly string[] = [
  '_ring',
  '_signing',
  '_receipt',
  '_erasure',
  '_beat',
  '_restoring',
]

/**
 * Returns the type of a record, by its key: `part` for the key records of terms and eras. All other keys begin with
 * their type, such as `_ring`.
 */
function typeOf(key: string): string {
  if (!key.startsWith('_')) return 'part'
  const slash = key.indexOf('/')
  return slash < 0 ? key : key.slice(0, slash)
}

/** @throws ControlStateError `control-state.record_not_known`, `record_malformed` */
export function checkKeyRecord(key: string, value: Buffer): void {
  const type = typeOf(key)
  const found = value[0] ?? 0
  const isKnown = type === 'part' || kinds.includes(type)
  if (found === version && isKnown) return
  if (found === 0) throw malformed(keysTopic, key, `type ${type}`)
  throw notKnown({ topic: keysTopic, key, type, version: found }, isKnown ? version : undefined)
}

/** While this record exists, erasures since the backup may be undone, so no service may use the keys. */
export const restoringKey = '_restoring'
export const restoringValue = ({ subjectsLost }: { subjectsLost: boolean }): Buffer =>
  Buffer.of(version, subjectsLost ? 1 : 0)
export const subjectsLostIn = (value: Buffer): boolean => value[1] === 1

/** The name of the wrapping key for records of `weir.erasures`. That topic also contains this key. */
export const ERASURE_LOG_KEY = 'erasures'

export const beatKey = '_beat'
export function beatValue(timeMs: number): Buffer {
  const value = Buffer.alloc(9, version)
  value.writeBigUInt64BE(BigInt(timeMs), 1)
  return value
}
/** Returns the time of the last beat; 0 if there is none. */
export const beatTimeIn = (value: Buffer | undefined): number =>
  value?.length === 9 ? Number(value.readBigUInt64BE(1)) : 0

/**
 * Returns the record key of a version of a wrapping key. If `version` is empty, returns the prefix of the keys of all
 * versions.
 */
export const wrappingKeyId = (keyName: string, version: number | ''): string =>
  `_ring/${keyName}/${version}`
export const isWrappingKeyId = (recordKey: string): boolean => recordKey.startsWith('_ring/')
export function parseWrappingKeyId(key: string): { keyName: string; version: number } | undefined {
  const [, keyName, version] = /^_ring\/([^/]+)\/(\d+)$/.exec(key) ?? []
  return keyName === undefined ? undefined : { keyName, version: Number(version) }
}
export const versionOfKeyId = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))
// --- erasures ---

export const erasurePrefix = (erasureId: string): string => `_erasure/${erasureId}/`

/** Returns the record key of the marker of one transaction (a piece) of the erasure, counted from 0. */
export const markerKey = (erasureId: string, piece: number): string =>
  `${erasurePrefix(erasureId)}marker/${piece}`

/** A replaced key record of a tree: its term, and the suffix of its name. */
export type ReplacedPart = { readonly term: number; readonly suffix: string }

export const markerValue = (replaced: readonly ReplacedPart[]): Buffer =>
  Buffer.concat([
    Buffer.of(version),
    Buffer.from(replaced.map(({ term, suffix }) => `${term}/${suffix}\n`).join('')),
  ])

export const replacedIn = (marker: Buffer): ReplacedPart[] =>
  marker
    .toString('utf8', 1)
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const [term, suffix = ''] = line.split('/')
      return { term: Number(term), suffix }
    })

const LINK_BYTES = 8
const cutsPrefix = (erasureId: string): string => `${erasurePrefix(erasureId)}cuts/`

/** Returns the records with links that an erasure must still remove, in order. Each record has links of one term. */
export const cutsOf = (keys: { under(prefix: string): Iterable<string> }, erasureId: string) =>
  [...keys.under(cutsPrefix(erasureId))]
    .map((key) => {
      const [term, at] = key.slice(cutsPrefix(erasureId).length).split('/').map(Number)
      return { key, term: term ?? 0, at: at ?? 0 }
    })
    .toSorted((a, b) => a.term - b.term || a.at - b.at)

export const cutsKey = (erasureId: string, term: number, at: number): string =>
  `${cutsPrefix(erasureId)}${term}/${at}`

export const cutsValue = (links: readonly Uint8Array[]): Buffer =>
  Buffer.concat([Buffer.of(version), ...links])

export const linksInCuts = (value: Buffer): Uint8Array[] =>
  Array.from({ length: Math.floor((value.length - 1) / LINK_BYTES) }, (_, at) =>
    Uint8Array.from(value.subarray(1 + at * LINK_BYTES, 1 + (at + 1) * LINK_BYTES)),
  )

// --- private keys ---

export const privateReceiptKey = (kid: string): string => `_receipt/${kid}`
export const privateSigningKey = (kid: string): string => `_signing/${kid}`
