// Which files are valid as a backup, which erasures a restore knows, and which audit log it writes.
import { Writable } from 'node:stream'
import { expect, test } from '@jest/globals'
import { controlValue, hashOf, nextEntry, noEntries, parseEntry } from '@weir/control-state'
import type { AuditHead } from '@weir/control-state'
import { backupLineOf, endLine, headLine, readLines } from '../../src/backup/lines.ts'
import type { SavedRecord } from '../../src/backup/lines.ts'
import {
  erasuresLostSince,
  liveEntries,
  logKeys,
  lostEntries,
} from '../../src/backup/erasures-known.ts'
import { savedLines, writeAll } from '../../src/backup/save.ts'
import { withAuditLog } from '../../src/backup/restore-audit.ts'

async function* linesOf(...lines: string[]): AsyncGenerator<string> {
  yield* lines
}

const madeAtMs = 1_800_000_000_000
const head = headLine('backup', madeAtMs)
const record = {
  partition: 0,
  offset: 7n,
  timestampMs: 1_700_000_000_000,
  key: Buffer.from('key'),
  value: null,
  headers: { change: Buffer.from([0, 255, 10]) },
}
const line = backupLineOf('weir.keys', record)

async function readAll(...lines: string[]): Promise<unknown> {
  const { madeAtMs: at, records } = await readLines('backup', linesOf(...lines))
  const read: SavedRecord[] = []
  for await (const each of records) read.push(each)
  return { at, read }
}

test('a record is read as it was written, a tombstone and bytes that are no text included', async () => {
  const { partition, timestampMs, key, value, headers } = record
  expect(await readAll(head, line, endLine(1))).toEqual({
    at: madeAtMs,
    read: [{ topic: 'weir.keys', partition, timestampMs, key, value, headers }],
  })
})

test.each([
  ['it has no head', [line, endLine(1)]],
  ['it is a copy of the erasures', [headLine('erasures', madeAtMs), endLine(0)]],
  ['its end is missing', [head, line]],
  ['a record is missing', [head, endLine(1)]],
  ['something comes after its end', [head, endLine(0), line]],
  ['a record is of another topic', [head, line.replace('weir.keys', 'acme.clicks'), endLine(1)]],
  ['a line is cut off', [head, line.slice(0, -3), endLine(1)]],
  ['there is nothing', []],
])('a backup is refused as a whole when %s', async (_what, lines) => {
  await expect(readAll(...lines)).rejects.toMatchObject({ code: 'backup.unreadable' })
})

test.each([
  ['weir.control', '{"type":"account","version":2}', 'type "account", version 2'],
  ['weir.keys', Buffer.of(2, 0, 0), 'type "part", version 2'],
  ['weir.audit', '{"type":"audit-entry","version":9}', 'type "audit-entry", version 9'],
  ['weir.subjects', '{"type":"subject-link","version":2}', 'type "subject-link", version 2'],
])('a backup with a record of a newer release in %s is refused', async (topic, value, what) => {
  const newer = backupLineOf(topic, { ...record, value: Buffer.from(value) })
  await expect(readAll(head, line, newer, endLine(2))).rejects.toMatchObject({
    code: 'control-state.record_not_known',
    message: expect.stringContaining(what),
  })
})

test('a backup is not said to be saved before a slow reader has all of it', async () => {
  let taken = ''
  const slow = new Writable({
    write(chunk, _, done) {
      setImmediate(() => {
        taken += String(chunk)
        done()
      })
    },
  })
  await writeAll(linesOf(head, line, endLine(1)), slow)
  expect(taken).toBe(head + line + endLine(1))
})

test('a backup is not made of records of a newer release', async () => {
  const newer = { ...record, value: Buffer.from('{"type":"gadget","version":2}') }
  const deps = {
    offsets: { earliest: async () => [0n], ends: async () => [1n] },
    reader: {
      read: async (
        _range: unknown,
        onRecords: (records: (typeof newer)[]) => void | Promise<boolean>,
      ) => void (await onRecords([newer])),
    },
    say: () => {},
    now: () => madeAtMs,
  }
  const saving = async (): Promise<void> => {
    for await (const _line of savedLines(deps, 'backup'));
  }
  await expect(saving()).rejects.toThrow(/type "gadget", version 2 .* upgrade this replica/)
})

// --- the erasures since the backup ---

const logged = (key: string, text: string, timestampMs = 1): SavedRecord => ({
  topic: 'weir.erasures',
  partition: 0,
  key: Buffer.from(key),
  value: Buffer.from(text),
  headers: {},
  timestampMs,
})
const nothing = { live: [], backup: [], copy: [] }
const asked = { sources: nothing, copyMadeAtMs: undefined, lostSince: undefined }

/** Returns an audit log with one erasure per hash, from entry 1 on. */
function auditOf(...hashes: readonly string[]): Buffer[] {
  let auditHead = noEntries
  return hashes.map((hash) => {
    const target = { logged: [hash] }
    const what = { action: 'erasure.create', actor: { kind: 'auth' }, target } as const
    const next = nextEntry(auditHead, what, 0)
    auditHead = next.head
    return next.value
  })
}
const known = logged('acme/s/e1/0', 'one')
const hash = (text: string): string => hashOf(Buffer.from(text))
const saved = (entries: readonly Buffer[]) =>
  entries.map((value) => ({ topic: 'weir.audit', partition: 0, value, key: null }))

test('all erasures are known if each entry of the audit log since the backup has its record somewhere', () => {
  const audit = auditOf(hash('zero'), hash('one'))
  const entries = liveEntries(audit, saved(audit.slice(0, 1)))
  expect(entries).toHaveLength(1)
  for (const at of ['live', 'backup', 'copy'] as const)
    expect(
      erasuresLostSince({ ...asked, entries, sources: { ...nothing, [at]: [known] } }),
    ).toEqual({})
})

test('an erasure that only the audit log knows is not undone unsaid', () => {
  const entries = liveEntries(auditOf(hash('one'), hash('two')), [])
  const sources = { ...nothing, copy: [known] }
  const missing = { ...asked, entries, sources, copyMadeAtMs: 5 }
  expect(() => erasuresLostSince(missing)).toThrow(/^1 erasures .* since 1970-01-01/)
  expect(erasuresLostSince({ ...missing, lostSince: 7 })).toEqual({ sinceMs: 7 })
})

test('without the audit log the operator must have a later copy, or say what is lost', () => {
  const lost = { ...asked, entries: liveEntries([], saved(auditOf(hash('one')))) }
  expect(() => erasuresLostSince(lost)).toThrow(/--erasures FILE.*--erasures-lost-since TIME/s)
  expect(erasuresLostSince({ ...lost, copyMadeAtMs: 5 })).toEqual({ sinceMs: 5 })
  expect(erasuresLostSince({ ...lost, copyMadeAtMs: 5, lostSince: 3 })).toEqual({ sinceMs: 3 })
  expect(erasuresLostSince({ ...lost, lostSince: 'never' })).toEqual({})
})

test('an audit log that was created anew says nothing about erasures', () => {
  const [first, second, third] = auditOf('a', 'b', 'c')
  const backup = saved([first, second, third].map((value) => value ?? Buffer.alloc(0)))
  expect(liveEntries([first ?? null], backup)).toBeUndefined()
  expect(liveEntries([first ?? null, second ?? null, third ?? null], backup)).toEqual([])
})

test('entries that Kafka has lost are written again, and each wrapping key in its newest form', () => {
  const key = (timestampMs: number): SavedRecord =>
    logged('_ring/erasures/1', `wrapped ${timestampMs}`, timestampMs)
  const other = logged('acme/s/e2/0', 'two')
  const sources = { live: [known, key(3)], backup: [known, key(1)], copy: [known, other, key(5)] }
  expect(lostEntries(sources)).toEqual([other])
  const keys = [{ ...key(4), topic: 'weir.keys' }]
  expect(logKeys(sources, keys).map(({ topic, timestampMs }) => [topic, timestampMs])).toEqual([
    ['weir.erasures', 5],
    ['weir.keys', 5],
  ])
})

// --- the audit log ---

const headRecord = (head: AuditHead) => ({
  topic: 'weir.control',
  key: 'audit/head',
  value: controlValue({ type: 'audit-head', ...head }),
})

/** Returns a backup with a stream, and with audit entries in auth's format. */
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

/** Returns the content of the restored log. Its end must equal the head in control state. */
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
  const log = restored(withAuditLog(records, undefined, { nowMs: 1 }))
  expect(log).toHaveLength(3)
  const prev = hashOf(entries[1]?.value ?? Buffer.alloc(0))
  expect(log[2]).toEqual({ seq: 3, prev, action: 'backup.restore' })
})

test('an audit log that is still there stays, and goes on after its last entry', () => {
  const { entries } = savedWith(5, 5)
  const last = entries[4]?.value ?? Buffer.alloc(0)
  const log = restored(withAuditLog(savedWith(2, 3).records, last, { nowMs: 1 }))
  expect(log).toEqual([{ seq: 6, prev: hashOf(last), action: 'backup.restore' }])
})

test('a backup from before there was an audit log begins one', () => {
  const [stream] = savedWith(0, 0).records
  if (stream === undefined) throw new Error('there is none')
  const log = restored(withAuditLog([stream], undefined, { nowMs: 1 }))
  expect(log).toEqual([{ seq: 1, prev: noEntries.hash, action: 'backup.restore' }])
})
