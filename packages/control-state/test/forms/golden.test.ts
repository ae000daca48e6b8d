// Golden records: one file for each type and version that any release has written. They are kept forever. Each record
// is read and written again; a record of the newest version must give the same bytes. docs/formats.md lists the
// members.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { hasCode } from '@weir/kit'
import { entryValue, parseEntry } from '../../src/audit/entry-form.ts'
import { noticeValue, parseNotice } from '../../src/audit/notices.ts'
import { isObject } from '../../src/forms/guards.ts'
import { controlValue, parseControlRecord } from '../../src/records/control-forms.ts'
import { loggedValue, parseLogged } from '../../src/records/erasure-log.ts'
import { checkSubjectLink, subjectLinkValue } from '../../src/records/subjects.ts'
import { heartbeatValue, parseHeartbeat } from '../../src/replicas/replicas.ts'
import {
  monthCountValue,
  parseMonthCount,
  parseUsage,
  usageValue,
} from '../../src/replicas/usage.ts'

/** By topic: a function that reads a record and writes it again. */
const again: Readonly<Record<string, (key: string, value: Buffer) => Buffer>> = {
  'weir.control': (key, value) => controlValue(parseControlRecord(key, value)),
  'weir.audit': (key, value) => entryValue(parseEntry(key, value)),
  'weir.accesses': (key, value) => noticeValue(parseNotice(key, value)),
  'weir.replicas': (key, value) => heartbeatValue(parseHeartbeat(key, value)),
  'weir.counts': (key, value) => monthCountValue(parseMonthCount(key, value)),
  'weir.usage': (key, value) => usageValue(parseUsage(key, value)),
  'weir.erasures': (key, value) => loggedValue(parseLogged(key, value)),
  'weir.subjects': (key, value) => (checkSubjectLink(key, value), subjectLinkValue),
}

type Value = Readonly<Record<string, unknown>>
type Golden = {
  readonly topic: string
  readonly records: readonly { readonly key: string; readonly value: Value }[]
}

const folder = join(import.meta.dirname, '../golden')
const goldenIn = (name: string): Golden => JSON.parse(readFileSync(join(folder, name), 'utf8'))
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.json'))
  .toSorted()
const newest = new Map(files.map((name) => [typeOf(name), name]))

function typeOf(name: string): string {
  return basename(name).slice(0, basename(name).indexOf('.'))
}

const typeIn = (written: string): unknown => asObject(JSON.parse(written))['type']
const asObject = (value: unknown): Value => (isObject(value) ? value : {})
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))

describe.each(files)('%s', (name) => {
  const { topic, records } = goldenIn(name)
  const throughParser = again[topic]
  if (throughParser === undefined) throw new Error(`nothing reads ${topic}`)

  test('is read, and written as its type is', () => {
    for (const { key, value } of records) {
      expect(`${typeOf(name)}.v${String(value['version'])}.json`).toBe(basename(name))
      const written = String(throughParser(key, bytes(value)))
      const isNewest = newest.get(typeOf(name)) === name
      expect(isNewest ? written : typeIn(written)).toBe(
        isNewest ? JSON.stringify(value) : typeOf(name),
      )
    }
  })

  test('has a list in docs/formats.md, with its members and whether each may be missing', () => {
    const members = new Set(records.flatMap(({ value }) => Object.keys(value)))
    for (const known of ['type', 'version']) members.delete(known)
    expect([...documented(typeOf(name)).keys()].toSorted()).toEqual([...members].toSorted())
    for (const [member, isOptional] of documented(typeOf(name)))
      for (const { key, value } of records) {
        if (!(member in value)) continue
        const { [member]: _, ...rest } = value
        const outcome = outcomeOf(() => throughParser(key, bytes(rest)))
        expect([member, outcome]).toEqual([
          member,
          isOptional ? 'read' : 'control-state.record_malformed',
        ])
      }
  })

  test('is not read with a member of another kind', () => {
    for (const { key, value } of records)
      for (const [member, is] of Object.entries(value)) {
        if (member === 'type' || member === 'version') continue
        const wrong = { ...value, [member]: isObject(is) ? [[]] : { x: {} } }
        const outcome = outcomeOf(() => throughParser(key, bytes(wrong)))
        expect([member, outcome]).toEqual([member, 'control-state.record_malformed'])
      }
  })
})

function outcomeOf(read: () => unknown): string {
  try {
    read()
    return 'read'
  } catch (error) {
    return hasCode(error) ? error.code : String(error)
  }
}

/** Returns the members that docs/formats.md lists for a type, and whether each is optional (`name?`). */
function documented(type: string): Map<string, boolean> {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/formats.md'), 'utf8')
  const [, section] = page.split(`\n### ${type}\n`)
  if (section === undefined) throw new Error(`docs/formats.md has no section ${type}`)
  const [list = ''] = section.split(/\n##/)
  const items = [...list.matchAll(/^- ((?:(?:, )?`\w+\??`)+)/gm)]
  return new Map(
    items.flatMap(([, members = '']) =>
      [...members.matchAll(/(\w+)(\??)/g)].map(
        ([, member = '', isOptional]) => [member, isOptional === '?'] as const,
      ),
    ),
  )
}
