// Decodes events as stored in topics without code of Weir.
import type { SourceRecord } from '@weir/kafka'

import { decode, numberOf } from '../events.ts'
import type { Kind, Plain } from '../events.ts'

/** Confluent's framing: a zero byte, then the schema's id in 4 bytes. */
const FRAME_BYTES = 5

export type Stored = {
  readonly kind: Kind
  readonly plain: Plain
  /** Undefined if the record has no mark. */
  readonly number: number | undefined
}

/** Returns undefined if the record isn't an event of any of these contracts. */
export function readStored(kinds: readonly Kind[], record: SourceRecord): Stored | undefined {
  const id = record.headers['svc-schema-id']?.toString('utf8')
  const kind = kinds.find((one) => one.id === id)
  if (kind === undefined || record.value?.[0] !== 0) return undefined
  try {
    const plain = decode(kind, record.value.subarray(FRAME_BYTES))
    return { kind, plain, number: numberOf(plain[kind.markField]) }
  } catch {
    return undefined
  }
}

export const recordPlaceOf = (
  topic: string,
  record: Pick<SourceRecord, 'partition' | 'offset'>,
): string => `${topic}/${record.partition}/${record.offset}`

/** Returns the source offset in the header `svc-source`; undefined if there is none. */
export function sourceOffsetOf({ headers }: Pick<SourceRecord, 'headers'>): bigint | undefined {
  const [, offset] = /\/(\d+)$/.exec(headers['svc-source']?.toString() ?? '') ?? []
  return offset === undefined ? undefined : BigInt(offset)
}
