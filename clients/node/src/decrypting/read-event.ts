// Reads from a record's headers and event what output needs to return the event's keys.
import { ReadError } from '../errors.ts'
import { isObject, memberOf } from '../json.ts'
import type { Bytes } from '../reading/record.ts'
import { mapEncrypted } from './encrypted.ts'
import type { Asked } from './key-service.ts'

type HeaderValue = Bytes | string | number | Date
/** kafkajs returns a list for a header that occurs several times. Weir's records have no such header. */
type Header = HeaderValue | readonly HeaderValue[] | undefined

export type EncryptedEvent<Event = unknown> = {
  /**
   * The record's headers. Only `svc-key-link` and `svc-time` are used. For a row of `weir export`, use its
   * `svc_key_link` and its `svcMeta.timestamp` as these headers.
   */
  readonly headers: Readonly<Record<string, Header>> | undefined
  /** The decoded Avro value, as avsc or @kafkajs/confluent-schema-registry return it. */
  readonly event: Event
}

export type ReadEvent = {
  /** Events with the same name have the same keys. */
  readonly name: string
  readonly asked: Asked
  readonly event: unknown
  readonly keyLink: Bytes
  readonly isEncrypted: boolean
}

/** @throws ReadError `unreadable` */
export function readEvent({ headers, event }: Partial<EncryptedEvent>): ReadEvent {
  const keyLink = keyLinkOf(headers?.['svc-key-link'])
  const timestamp = millisecondsOf(headers?.['svc-time'])
  if (keyLink === undefined || Number.isNaN(timestamp))
    throw new ReadError(
      'unreadable',
      'An event has not both headers of its record: svc-key-link, 16 bytes or a UUID, and svc-time, in milliseconds; give { headers, event }',
    )
  const consentLevels = consentLevelsOf(event)
  let isEncrypted = false
  mapEncrypted(event, keyLink, () => (isEncrypted = true))
  const link = uuidOf(keyLink)
  const name = `${link} ${[...new Set(consentLevels)].sort((a, b) => a - b).join(' ')}`
  return { name, asked: { keyLink: link, timestamp, consentLevels }, event, keyLink, isEncrypted }
}

/** `svcMeta` may be a union, whose value some decoders wrap in an object. */
function consentLevelsOf(event: unknown): number[] {
  const meta = memberOf(event, 'svcMeta')
  const [wrapped] = isObject(meta) ? Object.values(meta) : []
  const levels = memberOf(meta, 'consentLevels') ?? memberOf(wrapped, 'consentLevels')
  if (!Array.isArray(levels))
    throw new ReadError('unreadable', 'An event has no svcMeta with consentLevels')
  return levels.map(Number)
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** A header contains digits. Decoders of Parquet return a Date. */
const millisecondsOf = (time: Header): number =>
  time instanceof Date ? time.getTime() : Number(time?.toString() || Number.NaN)

/** Returns undefined for a value that is neither 16 bytes nor a UUID. */
function keyLinkOf(link: Header): Bytes | undefined {
  if (typeof link === 'string')
    return uuid.test(link) ? Buffer.from(link.replaceAll('-', ''), 'hex') : undefined
  return link instanceof Uint8Array && link.length === 16 ? link : undefined
}

function uuidOf(keyLink: Bytes): string {
  const hex = Buffer.from(keyLink).toString('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join('-')
}
