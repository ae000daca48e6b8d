// The format of a backup: a first line, then one record per line in the order of its topic, and a last line with the
// number of records. So an incomplete backup is detected. The lines are JSON, with bytes in base64.
import type { AddressedRecord, SourceRecord } from '@weir/kafka'
import { AppError } from '@weir/kit'
import { auditTopic, controlTopic, keysTopic } from '@weir/control-state'
import { z } from 'zod'
import { requireKnown } from './known.ts'

export const HEAD = '{"weir":"backup","version":1}'

const bytes = z.base64().transform((text) => Buffer.from(text, 'base64'))
const record = z.strictObject({
  topic: z.enum([controlTopic, keysTopic, auditTopic]),
  key: bytes.nullable(),
  value: bytes.nullable(),
  headers: z.record(z.string(), bytes),
  timestampMs: z.number(),
})
const end = z.strictObject({ records: z.number() })

export function backupLineOf(
  topic: string,
  { key, value, headers, timestampMs }: SourceRecord,
): string {
  const text = (part: Buffer | null): string | null => part?.toString('base64') ?? null
  return JSON.stringify({
    topic,
    key: text(key),
    value: text(value),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, header]) => [name, text(header)]),
    ),
    timestampMs,
  })
}

export const endLine = (records: number): string => JSON.stringify({ records })

/**
 * Returns all records of a backup. If it throws, the caller must use nothing of the backup.
 * @throws AppError `backup_unreadable`, `record_not_known`
 */
export async function readLines(lines: AsyncIterable<string>): Promise<AddressedRecord[]> {
  const records: AddressedRecord[] = []
  let count: number | undefined
  let number = 0
  for await (const line of lines) {
    number += 1
    if (number === 1 && line !== HEAD) throw unreadable('it does not begin like a backup')
    if (number === 1 || line === '') continue
    if (count !== undefined) throw unreadable('something comes after its end')
    const parsed = parse(line, number)
    if ('records' in parsed) count = parsed.records
    else {
      requireKnown(parsed.topic, parsed.key, parsed.value)
      records.push({ ...parsed, partition: 0 })
    }
  }
  if (count !== records.length) throw unreadable('its end is missing')
  return records
}

function parse(line: string, number: number): z.infer<typeof record> | z.infer<typeof end> {
  try {
    return z.union([record, end]).parse(JSON.parse(line))
  } catch (error) {
    throw unreadable(`line ${number} does not belong to a backup`, error)
  }
}

function unreadable(why: string, cause?: unknown): AppError<'backup.unreadable'> {
  return new AppError('backup.unreadable', `The backup can't be used: ${why}.`, { cause })
}
