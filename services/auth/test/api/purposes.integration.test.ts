// The purposes of an account: the names of its consent levels.
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { roles } from '@weir/control-state'
import { joinAuth, makeAccount, problemsOf, send, textOf } from '../support.ts'
import type { Account, SharedAuth } from '../support.ts'

let auth: SharedAuth
let account: Account

beforeAll(async () => {
  auth = await joinAuth()
  account = await makeAccount(auth)
})
afterAll(() => auth.stop())

const path = '/v2/account/purposes'
const marketing = { name: 'marketing', title: 'marketing e-mails', level: 2 }
const analytics = { name: 'analytics', title: 'Analyse für uns', level: 0 }

test('there are none at first; a list replaces the list before, and is read by level', async () => {
  const { list, status } = await account.get(path)
  expect({ list, status }).toEqual({ list: [], status: 200 })
  const set = await account.put(path, [marketing, analytics])
  expect([set.status, set.list]).toEqual([200, [analytics, marketing]])
  expect((await account.get(path)).list).toEqual([analytics, marketing])
  expect((await account.put(path, [])).list).toEqual([])
  expect((await account.get(path)).text).toBe('[]\n')
})

test('another account has its own', async () => {
  const other = await makeAccount(auth)
  await account.put(path, [marketing])
  expect((await other.get(path)).list).toEqual([])
})

test('the audit log says what a level was called before', async () => {
  await account.put(path, [marketing])
  await account.put(path, [{ ...marketing, title: 'newsletter' }])
  const { json } = await account.get('/v2/audit')
  expect(json['entries']).toContainEqual(
    expect.objectContaining({
      action: 'account.purposes',
      target: {
        account: account.billingId,
        before: { 2: 'marketing e-mails' },
        after: { 2: 'newsletter' },
      },
    }),
  )
})

test.each(roles)('%s may read; owners and developers may write', async (role) => {
  const made = await account.post('/v2/api-keys', { name: role, role })
  const bearer = textOf(made.json, 'apiKey')
  expect((await send(auth.url + path, { bearer })).status).toBe(200)
  const json = [marketing]
  const set = await send(auth.url + path, { method: 'PUT', bearer, json })
  const mayWrite = role === 'owner' || role === 'developer'
  expect([set.status, set.json['code']]).toEqual(
    mayWrite ? [200, undefined] : [403, 'role_missing'],
  )
})

const many = (count: number) =>
  Array.from({ length: count }, (_, level) => ({ name: `p-${level}`, title: `P ${level}`, level }))
const two = 'Two purposes have the'
const titleRule = '0.title must be 1 to 80 characters'
const notSupported = 'is not supported: a purpose has only name, title and level'

test.each([
  [{}, 'The body must be a list of at most 64 purposes'],
  [[1], '0 must be an object with name, title and level'],
  [[{ ...marketing, name: 'Marketing' }], '0.name must be 1 to 63 lower-case letters, digits'],
  [[{ ...marketing, name: '' }], '0.name must be'],
  [[{ ...marketing, title: '' }], titleRule],
  [[{ ...marketing, title: 'x'.repeat(81) }], titleRule],
  [[{ ...marketing, title: 'two\nlines' }], titleRule],
  [[{ ...marketing, title: 'back\u202Ewards' }], titleRule],
  [[{ ...marketing, title: ' e-mails' }], titleRule],
  [[{ ...marketing, level: 256 }], '0.level must be a whole number from 0 to 255'],
  [[{ ...marketing, level: '2' }], '0.level must be a whole number from 0 to 255'],
  [[marketing, { ...analytics, level: 2 }], `${two} level «2»`],
  [[marketing, { ...analytics, name: 'marketing' }], `${two} name «marketing»`],
  [[marketing, { ...analytics, title: 'marketing e-mails' }], `${two} title «marketing e-mails»`],
  [many(65), 'The body must be a list of at most 64 purposes'],
  [many(1_001), 'The body has more than 1000 items'],
  [[{ ...marketing, tcf: { purposes: [1] } }], `0.tcf ${notSupported}`],
  [[{ ...marketing, gpp: {} }], `0.gpp ${notSupported}`],
  [[analytics, { ...marketing, gpc: 'denies' }], `1.gpc ${notSupported}`],
])('%j is refused with 422, and changes nothing', async (json, sentence) => {
  await account.put(path, [marketing])
  const reply = await account.put(path, json)
  expect([reply.status, reply.json['code']]).toEqual([422, 'invalid'])
  expect(problemsOf(reply)).toEqual([expect.stringContaining(sentence)])
  expect((await account.get(path)).list).toEqual([marketing])
})

test('64 are accepted', async () => {
  const set = await account.put(path, many(64))
  expect([set.status, set.list]).toEqual([200, many(64)])
})
