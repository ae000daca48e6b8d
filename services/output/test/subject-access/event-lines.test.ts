// A person's events as text: CSV for spreadsheets, and NDJSON for programs.
import { expect, test } from '@jest/globals'
import { linesOf } from '../../src/subject-access/event-lines.ts'

const told = { contract: 'orders', time: '2026-11-20T12:00:00.000Z' }

test('NDJSON has all of it on one line', () => {
  const { head, line } = linesOf.ndjson()
  const event = { ...told, event: { name: 'a\nb' }, notDecrypted: { name: 'withdrawn' } } as const
  expect(head).toBe('')
  expect(line(event)).toMatch(/^[^\n]+\n$/)
  expect(JSON.parse(line(event))).toEqual(event)
})

test('CSV has a row for each value, numbered by event, and says why a field is not decrypted', () => {
  const { head, line } = linesOf.csv()
  const event = {
    user: { name: 'Ada "A", Lovelace', born: null },
    items: [{ mail: 'xyz' }, { mail: 'uvw' }],
    total: -2.5,
  }
  const at = '2026-11-20T12:00:00.000Z,orders'
  expect(head).toBe('\uFEFFevent,time,contract,field,value,note,purpose,person\r\n')
  expect(line({ ...told, event, notDecrypted: { 'items/mail': 'withdrawn' } })).toBe(
    [
      `1,${at},user/name,"Ada ""A"", Lovelace",,,`,
      `1,${at},user/born,,,,`,
      `1,${at},items/0/mail,(withdrawn),not decrypted: withdrawn,,`,
      `1,${at},items/1/mail,(withdrawn),not decrypted: withdrawn,,`,
      `1,${at},total,-2.5,,,`,
      '',
    ].join('\r\n'),
  )
  const encrypted = { ...told, event: { mail: 'xyz' }, notDecrypted: { mail: 'corrupt' } } as const
  expect(line(encrypted)).toBe(`2,${at},mail,(encrypted),not decrypted: corrupt,,\r\n`)
  expect(line({ ...told, unreadable: 'it is broken' })).toBe(`3,${at},,,it is broken,,\r\n`)
})

test('CSV says in each row whom the event names', () => {
  const { line } = linesOf.csv()
  expect(line({ ...told, person: 'other', event: { mail: 'a@b', page: '/' } })).toBe(
    ['mail,a@b', 'page,/', '']
      .map((cells) => (cells === '' ? '' : `1,${told.time},orders,${cells},,,other`))
      .join('\r\n'),
  )
})

test('of svcMeta, CSV has only the levels, with their names; one that is withdrawn since is noted', () => {
  const event = { svcMeta: { nonce: 7, keyLink: 'k', consentLevels: [0, 2] }, level: 2 }
  const { line } = linesOf.csv()
  const at = '1,2026-11-20T12:00:00.000Z,orders'
  const purposes = { 1: 'analytics', 2: 'marketing, e-mails' }
  expect(line({ ...told, event, withdrawn: [1, 2], purposes })).toBe(
    [
      `${at},consent level,0,,,`,
      `${at},consent level,2,withdrawn since,"marketing, e-mails",`,
      `${at},level,2,,,`,
      '',
    ].join('\r\n'),
  )
})

test('CSV has the purpose of each personal field', () => {
  const event = { mail: 'a@b', items: [{ note: 'x' }], page: '/' }
  const at = '1,2026-11-20T12:00:00.000Z,orders'
  const levels = { mail: 2, 'items/note': 3 }
  const notDecrypted = { 'items/note': 'withdrawn' } as const
  expect(
    linesOf.csv().line({ ...told, event, levels, notDecrypted, purposes: { 2: 'e-mails' } }),
  ).toBe(
    [
      `${at},mail,a@b,,e-mails,`,
      `${at},items/0/note,(withdrawn),not decrypted: withdrawn,level 3,`,
      `${at},page,/,,,`,
      '',
    ].join('\r\n'),
  )
})

test('a name of a level that a spreadsheet would run is none any more', () => {
  const event = { svcMeta: { consentLevels: [2] } }
  const row = linesOf.csv().line({ ...told, event, purposes: { 2: '=1+1' } })
  expect(row).toMatch(/,2,,'=1\+1,\r\n$/)
})

test.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])(
  'a text that a spreadsheet would run, such as %j, is none any more',
  (text) => {
    const row = linesOf.csv().line({ ...told, event: { text } })
    expect(row).toContain(`'${text}`)
  },
)
