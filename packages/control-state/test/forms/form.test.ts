// A replica reads all known versions of a record type, and reports unknown versions.
import { expect, test } from '@jest/globals'
import { hasCode } from '@weir/kit'
import { checked, createForm, parserOf, storedAs, untyped } from '../../src/forms/form.ts'
import { createUnread } from '../../src/forms/unread.ts'
import { number, objectOf, optional, text } from '../../src/forms/guards.ts'
import { parseControlRecord } from '../../src/records/control-forms.ts'
import { checkKeyRecord } from '../../src/keyring/key-forms.ts'
import { log } from '../support.ts'

type Cup = { readonly colour: string; readonly size: number; readonly owner?: string }

const isCup = objectOf<Cup>({ colour: text, size: number, owner: optional(text) })
const isFirstCup = objectOf<{ readonly colour: string }>({ colour: text })

const first = createForm('cup', untyped(isCup))
/** The form in the next release, with a function that reads the previous version. */
const second = createForm<Cup>(
  'cup',
  (members) => (isFirstCup(members) ? { colour: members.colour, size: 1 } : undefined),
  untyped(isCup),
)

const parse = parserOf('weir.cups', [first])
const bytes = (value: unknown): Buffer => Buffer.from(JSON.stringify(value))
const red = { type: 'cup', version: 1, colour: 'red', size: 2 }

test('what is written is read again, its type and version beside its members', () => {
  const stored = storedAs(first, { colour: 'red', size: 2 })
  expect(String(stored)).toBe('{"type":"cup","version":1,"colour":"red","size":2}')
  expect(parse('k', stored)).toEqual({ colour: 'red', size: 2 })
})

test('an older version is read, and written as the newest one', () => {
  const cup = parserOf('weir.cups', [second])(
    'k',
    bytes({ type: 'cup', version: 1, colour: 'red' }),
  )
  expect(cup).toEqual({ colour: 'red', size: 1 })
  expect(String(storedAs(second, cup))).toBe('{"type":"cup","version":2,"colour":"red","size":1}')
})

test('members that nobody knows are passed over', () => {
  expect(parse('k', bytes({ ...red, handle: true }))).toMatchObject({ colour: 'red' })
})

test.each([
  [
    'a newer version',
    { ...red, version: 2 },
    'weir.cups contains a record of type "cup", version 2 (key "k"), and this replica knows that type up to version 1: upgrade this replica',
  ],
  [
    'an unknown type',
    { ...red, type: 'mug', version: 3 },
    'weir.cups contains a record of type "mug", version 3 (key "k"), and this replica knows no such type: upgrade this replica',
  ],
])('%s is told with topic, type, version and what to do', (_what, value, sentence) => {
  expect(() => parse('k', bytes(value))).toThrow(
    expect.objectContaining({ code: 'control-state.record_not_known', message: sentence }),
  )
})

test.each([
  ['no JSON', Buffer.from('{')],
  ['no object', bytes([red])],
  ['no type', bytes({ ...red, type: undefined })],
  ['no version', bytes({ ...red, version: undefined })],
  ['a version that is none', bytes({ ...red, version: 0 })],
  ['a version in words', bytes({ ...red, version: '1' })],
  ['a member missing', bytes({ ...red, size: undefined })],
  ['a member of another kind', bytes({ ...red, size: 'large' })],
  ['an optional member of another kind', bytes({ ...red, owner: 7 })],
  ['nothing', Buffer.alloc(0)],
])('%s is malformed', (_what, value) => {
  expect(() => parse('k', value)).toThrow(
    expect.objectContaining({ code: 'control-state.record_malformed' }),
  )
})

test('members called as those of every object are kept', () => {
  const isTable = createForm(
    'cup',
    checked((value): value is object => typeof value === 'object'),
  )
  const value = Buffer.from('{"type":"cup","version":1,"__proto__":{"a":1}}')
  const cup = parserOf('weir.cups', [isTable])('k', value)
  expect(Object.entries(cup)).toContainEqual(['__proto__', { a: 1 }])
})

test('a record of control state lies under a key of its type', () => {
  const owner = bytes({ type: 'subject-owner', version: 1, subject: 's', ownerBillingId: 'acme' })
  expect(parseControlRecord('subject/s', owner)).toMatchObject({ ownerBillingId: 'acme' })
  expect(() => parseControlRecord('account/s', owner)).toThrow(
    expect.objectContaining({ code: 'control-state.record_malformed' }),
  )
})

test.each([
  ['acme/s/1/label', Buffer.of(1, 2), 'known'],
  ['_ring/open/1', Buffer.of(1), 'known'],
  ['_ring/open/1', Buffer.of(2), 'control-state.record_not_known'],
  ['acme/s/1/label', Buffer.of(2), 'control-state.record_not_known'],
  ['_gadget/7', Buffer.of(1), 'control-state.record_not_known'],
  ['acme/s/1/label', Buffer.alloc(0), 'control-state.record_malformed'],
])('a key record %s is known by its first byte', (key, value, code) => {
  expect(codeOf(() => checkKeyRecord(key, value))).toBe(code)
})

function codeOf(read: () => unknown): string {
  try {
    read()
    return 'known'
  } catch (error) {
    return hasCode(error) ? error.code : String(error)
  }
}

test('what can not be read is told until something readable lies under its key', () => {
  const unread = createUnread(log)
  const read = (key: string, value: Buffer) =>
    unread.note('weir.cups', key, () => parse(key, value))
  for (const key of ['a', 'b', 'c', 'd', 'e']) read(key, bytes({ ...red, version: 2 }))
  expect(unread.isEmpty()).toBe(false)
  expect(unread.sentences()).toHaveLength(4)
  expect(unread.sentences()[3]).toBe("and 2 more records that can't be read")
  for (const key of ['a', 'b', 'c', 'd']) read(key, bytes(red))
  expect(unread.sentences()).toEqual([expect.stringContaining('(key "e")')])
  unread.note('weir.cups', 'e', () => {})
  expect(unread.isEmpty()).toBe(true)
})

test('what fails for another reason is not taken for a record', () => {
  const unread = createUnread(log)
  const fails = (): never => {
    throw new TypeError('a bug')
  }
  expect(() => unread.note('weir.cups', 'a', fails)).toThrow('a bug')
  expect(unread.isEmpty()).toBe(true)
})
