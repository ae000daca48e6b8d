// The format of a backup: a first line, then one record per line in the order of its topic, and a last line with the
// number of records. So an incomplete backup is detected. A copy of `weir.erasures` has the same format. The lines are
// JSON, with bytes in base64.
import type { AddressedRecord, SourceRecord } from '@weir/kafka'
import { AppError } from '@weir/kit'
import {
  auditTopic,
  controlTopic,
  erasuresTopic,
  keysTopic,
  subjectsTopic,
} from '@weir/control-state'
import { z } from 'zod'
import { requireKnown } from './known.ts'

/** In the order of a backup. `weir.subjects` may be large, so it comes last and is never in memory as a whole. */
export const savedTopics = [
  controlTopic,
  keysTopic,
  auditTopic,
  erasuresTopic,
  subjectsTopic,
] as const

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'))
const head = z.strictObject({
  weir: z.enum(['backup', 'erasures']),
  version: z.literal(1),
  madeAt: z.iso.datetime(),
})
const record = z.strictObject({
  topic: z.enum(savedTopics),
  partition: z.int().min(0),
  key: bytes.nullable(),
  value: bytes.nullable(),
  headers: z.record(z.string(), bytes),
  timestampMs: z.number(),
})
const end = z.strictObject({ records: z.number() })

type Kind = z.infer<typeof head>['weir']

/** `madeAtMs`: when the backup was started. */
export const headLine = (weir: Kind, madeAtMs: number): string =>
  JSON.stringify({ weir, version: 1, madeAt: new Date(madeAtMs).toISOString() })

export function backupLineOf(
  topic: string,
  { partition, key, value, headers, timestampMs }: SourceRecord,
): string {
  const text = (part: Buffer | null): string | null => part?.toString('base64') ?? null
  return JSON.stringify({
    topic,
    partition,
    key: text(key),
    value: text(value),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, text(header)]),
    ),
    timestampMs,
  })
}

export const endLine = (records: number): string => JSON.stringify({ records })

export type SavedRecord = AddressedRecord & { readonly timestampMs: number }

export type SavedLines = {
  readonly madeAtMs: number
  /**
   * @throws AppError `backup.unreadable`, even after the last record; the caller must then use none of the records
   * @throws ControlStateError `control-state.record_not_known`
   */
  readonly records: AsyncIterable<SavedRecord>
}

/** @throws AppError `backup.unreadable` */
export async function readLines(kind: Kind, text: AsyncIterable<string>): Promise<SavedLines> {
  const lines = text[Symbol.asyncIterator]()
  const first = await lines.next()
  const { data } = head.safeParse(first.done === true ? undefined : parsedJson(first.value))
  if (data?.weir !== kind) throw unreadable(`it does not begin like ${nameOf[kind]}`)
  return { madeAtMs: Date.parse(data.madeAt), records: recordsIn(lines) }
}

const nameOf: Readonly<Record<Kind, string>> = {
  backup: 'a backup',
  erasures: 'a copy of the erasures',
}

async function* recordsIn(lines: AsyncIterator<string>): AsyncGenerator<SavedRecord> {
  let read = 0
  let count: number | undefined
  for (let number = 2; ; number += 1) {
    const line = await lines.next()
    if (line.done === true) break
    if (line.value === '') continue
    if (count !== undefined) throw unreadable('something comes after its end')
    const parsed = parse(line.value, number)
    if ('records' in parsed) count = parsed.records
    else {
      requireKnown(parsed.topic, parsed.key, parsed.value)
      read += 1
      yield parsed
    }
  }
  if (count !== read) throw unreadable('its end is missing')
}

function parse(line: string, number: number): z.infer<typeof record> | z.infer<typeof end> {
  const { data, error } = z.union([record, end]).safeParse(parsedJson(line))
  if (data === undefined) throw unreadable(`line ${number} does not belong to a backup`, error)
  return data
}

function parsedJson(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function unreadable(why: string, cause?: unknown): AppError<'backup.unreadable'> {
  return new AppError('backup.unreadable', `The backup can't be used: ${why}.`, { cause })
}
