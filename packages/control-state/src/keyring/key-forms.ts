// What lies in `weir.keys`: bytes, of which the first says how the others are to be read (docs/formats.md).
//
//   ring, part, private key   as @weir/fieldcrypt wraps them, version 1
//   marker = %x01             ; lies in the log where an erasure does, and nobody opens it
//   beat   = %x01 time        ; closes a segment of the log that is due
//   time   = 8OCTET           ; ms since 1970, big-endian
import { malformed, notKnown } from '../forms/form.ts'
import { keysTopic } from '../records/records.ts'

const version = 0x01
const kinds: readonly string[] = ['_ring', '_signing', '_receipt', '_erasure', '_beat']

/** What a record is by its key: a part of an era has four pieces, all others begin with an underscore. */
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

export const markerValue: Buffer = Buffer.of(version)

export const beatKey = '_beat'
export function beatValue(timeMs: number): Buffer {
  const value = Buffer.alloc(9, version)
  value.writeBigUInt64BE(BigInt(timeMs), 1)
  return value
}
/** When the last one was, 0 when there is none. */
export const beatTimeIn = (value: Buffer | undefined): number =>
  value?.length === 9 ? Number(value.readBigUInt64BE(1)) : 0

/** Without a version: what all of the ring's keys begin with. */
export const ringKey = (ring: string, version: number | ''): string => `_ring/${ring}/${version}`
export function parseRingKey(key: string): { ring: string; version: number } | undefined {
  const [, ring, version] = /^_ring\/([^/]+)\/(\d+)$/.exec(key) ?? []
  return ring === undefined ? undefined : { ring, version: Number(version) }
}
export const versionOfRingKey = (key: string): number => Number(key.slice(key.lastIndexOf('/') + 1))
/** Lies in the log where an erasure does; nobody opens it. */
export const erasureMarker = (erasureId: string): string => `_erasure/${erasureId}`
export const privateReceiptKey = (kid: string): string => `_receipt/${kid}`
export const privateSigningKey = (kid: string): string => `_signing/${kid}`
