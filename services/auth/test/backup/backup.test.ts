// Which files are valid as a backup.
import { expect, test } from '@jest/globals'
import { controlValue, hashOf, nextEntry, noEntries, parseEntry } from '@weir/control-state'
import type { AuditHead } from '@weir/control-state'
import { HEAD, endLine, backupLineOf, readLines } from '../../src/backup/lines.ts'
import { savedLines } from '../../src/backup/save.ts'
import { withAuditLog } from '../../src/backup/restore-audit.ts'

async function* linesOf(...lines: string[]): AsyncGenerator<string> {
  yield* lines
}

const record = {
  partition: 0,
  offset: 7n,
  timestampMs: 1_700_000_000_000,
  key: Buffer.from('key'),
  value: null,
  headers: { change: Buffer.from([0, 255, 10]) },
}
const line = backupLineOf('weir.keys', record)

test('a record is read as it was written, a tombstone and bytes that are no text included', async () => {
  const { partition, timestampMs, key, value, headers } = record
  expect(await readLines(linesOf(HEAD, line, endLine(1)))).toEqual([
    { topic: 'weir.keys', partition, timestampMs, key, value, headers },
  ])
})

test.each([
  ['it has no head', [line, endLine(1)]],
  ['its end is missing', [HEAD, line]],
  ['a record is missing', [HEAD, endLine(1)]],
  ['something comes after its end', [HEAD, endLine(0), line]],
  ['a record is of another topic', [HEAD, line.replace('weir.keys', 'acme.clicks'), endLine(1)]],
  ['a line is cut off', [HEAD, line.slice(0, -3), endLine(1)]],
  ['there is nothing', []],
])('a backup is refused as a whole when %s', async (_what, lines) => {
  await expect(readLines(linesOf(...lines))).rejects.toMatchObject({ code: 'backup.unreadable' })
})

test.each([
  ['weir.control', '{"type":"account","version":2}', 'type "account", version 2'],
  ['weir.keys', Buffer.of(2, 0, 0), 'type "part", version 2'],
  ['weir.audit', '{"type":"audit-entry","version":9}', 'type "audit-entry", version 9'],
])('a backup with a record of a newer release in %s is refused', async (topic, value, what) => {
  const newer = backupLineOf(topic, { ...record, value: Buffer.from(value) })
  const reading = readLines(linesOf(HEAD, line, newer, endLine(2)))
  await expect(reading).rejects.toMatchObject({
    code: 'control-state.record_not_known',
    message: expect.stringContaining(what),
  })
})

test('a backup is not made of records of a newer release', async () => {
  const newer = { ...record, value: Buffer.from('{"type":"gadget","version":2}') }
  const saving = savedLines({
    offsets: { earliest: async () => [0n], ends: async () => [1n] },
    reader: { read: async (_range, onRecords) => void (await onRecords([newer])) },
    say: () => {},
  })
  const readAll = async (): Promise<void> => {
    for await (const _line of saving);
  }
  await expect(readAll()).rejects.toThrow(/type "gadget", version 2 .* upgrade this replica/)
})

// --- the audit log ---

const headRecord = (head: AuditHead) => ({
  topic: 'weir.control',
  key: 'audit/head',
  value: controlValue({ type: 'audit-head', ...head }),
})

/** A stream, and entries in auth's format. */
function savedWith(known: number, there: number) {
  const stream = { topic: 'weir.control', key: 'stream/acme/clicks', value: '{}' }
  const entries: { topic: string; key: null; value: Buffer }[] = []
  const heads = [noEntries]
  for (let head = noEntries; head.seq < there;) {
    const what = { action: 'stream.create', actor: { kind: 'auth' }, target: {} } as const
    const next = nextEntry(head, what, 0)
    entries.push({ topic: 'weir.audit', key: null, value: next.value })
    heads.push((head = next.head))
  }
  return { entries, records: [stream, headRecord(heads[known] ?? noEntries), ...entries] }
}

/** The content of the restored log, whose end must equal the head in control state. */
function restored(records: readonly { topic: string; key: unknown; value: unknown }[]): unknown[] {
  const log = records.filter(({ topic }) => topic === 'weir.audit')
  const heads = records.filter(({ key }) => key === 'audit/head').map(({ value }) => String(value))
  const end = Buffer.from(String(log.at(-1)?.value))
  const { seq } = parseEntry('', end)
  expect(heads).toEqual([String(controlValue({ type: 'audit-head', seq, hash: hashOf(end) }))])
  return log.map(({ value }) => {
    const { seq: own, prev, action } = parseEntry('', Buffer.from(String(value)))
    return { seq: own, prev, action }
  })
}

test('a lost audit log comes back as far as control state knows of it, and goes on with the restoring', () => {
  const { entries, records } = savedWith(2, 3)
  const log = restored(withAuditLog(records, undefined, 1))
  expect(log).toHaveLength(3)
  const prev = hashOf(entries[1]?.value ?? Buffer.alloc(0))
  expect(log[2]).toEqual({ seq: 3, prev, action: 'backup.restore' })
})

test('an audit log that is still there stays, and goes on after its last entry', () => {
  const { entries } = savedWith(5, 5)
  const last = entries[4]?.value ?? Buffer.alloc(0)
  const log = restored(withAuditLog(savedWith(2, 3).records, last, 1))
  expect(log).toEqual([{ seq: 6, prev: hashOf(last), action: 'backup.restore' }])
})

test('a backup from before there was an audit log begins one', () => {
  const [stream] = savedWith(0, 0).records
  if (stream === undefined) throw new Error('there is none')
  const log = restored(withAuditLog([stream], undefined, 1))
  expect(log).toEqual([{ seq: 1, prev: noEntries.hash, action: 'backup.restore' }])
})
