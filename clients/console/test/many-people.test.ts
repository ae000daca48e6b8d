// What can be requested for each person in a list, also after earlier requests, and the file of results.
import { expect, test } from '@jest/globals'
import type { Erasure } from '../web/api/erasure.ts'
import { erasureStates, requestKey } from '../web/api/erasure.ts'
import { earlierRequests } from '../web/people/many/earlier-requests.ts'
import { isNowhere, linesOf, toErase, toRecord } from '../web/people/many/person.ts'
import type { Found, Person } from '../web/people/many/person.ts'

const nothingIn = (stream: string): Found => ({
  stream,
  events: 0,
  held: [],
  isErased: false,
  notSearched: '',
})

const searchOf = (...streams: Found[]) => ({ id: 'search-1', streams })

const asked = { value: 'ann', reference: 'T-1', dueOn: '' }
const personOf = (more: Partial<Person>): Person => ({
  asked,
  lines: [asked],
  requested: [],
  earlier: [],
  outcomes: [],
  search: searchOf(nothingIn('clicks'), nothingIn('shop')),
  ...more,
})

const accepted = { at: '2026-11-26T10:00:00.000Z', expectedBy: '' }
const id = '0e0e0e0e-1111-4222-8333-444444444444'
const erasureOf = (more: Partial<Erasure>): Erasure => ({
  id,
  values: 1,
  found: 2,
  searchedAt: '',
  isBesideKey: false,
  notSearched: '',
  reference: '',
  dueOn: '',
  levels: undefined,
  states: new Map(erasureStates.map((state) => [state, accepted])),
  outputs: [],
  readers: [],
  eventsUntil: '',
  incompleteSince: '',
  ...more,
})

const namesOf = (streams: readonly Found[]) => streams.map(({ stream }) => stream)

test('of a person who was found nowhere, it can be recorded in all streams', () => {
  const person = personOf({})
  expect(isNowhere(person)).toBe(true)
  expect(namesOf(toRecord(person))).toEqual(['clicks', 'shop'])
  expect(linesOf(person)).toEqual([
    expect.objectContaining({ stream: '', problem: 'no event was found: not erased' }),
  ])
})

test('a person who was erased before is not one of whom nothing was found', () => {
  const person = personOf({ earlier: [{ stream: 'clicks', erasure: erasureOf({}) }] })
  expect(isNowhere(person)).toBe(false)
  expect(toRecord(person)).toEqual([])
  expect(toErase(person)).toEqual([])
})

test('the results of a person who was erased before name that request', () => {
  const earlier = [{ stream: 'clicks', erasure: erasureOf({}) }]
  expect(linesOf(personOf({ earlier }))).toEqual([
    {
      ...asked,
      stream: 'clicks',
      events: 2,
      outputs: '',
      keptUntil: '',
      erasure: id,
      salt: '',
      problem: 'erased already on 2026-11-26',
    },
  ])
})

test('where it was recorded before, it is not offered again', () => {
  const earlier = [{ stream: 'clicks', erasure: erasureOf({ found: 0 }) }]
  expect(namesOf(toRecord(personOf({ earlier })))).toEqual(['shop'])
})

test('events that came after a request can be erased', () => {
  const search = searchOf({ ...nothingIn('clicks'), events: 3 })
  const earlier = [{ stream: 'clicks', erasure: erasureOf({}) }]
  expect(namesOf(toErase(personOf({ search, earlier })))).toEqual(['clicks'])
})

test('a failed search that was repeated is no reason in the results', () => {
  const [line] = linesOf(personOf({ problem: 'auth does not answer' }))
  expect(line?.problem).toBe('no event was found: not erased')
})

const listed = { asked, requested: [{ stream: 'clicks', id }] }
const never = async () => Promise.reject(new Error('not asked'))

test('a request that a file of results names is asked of auth', async () => {
  const existing = async (named: { stream: string; id: string }) => {
    expect(named).toEqual({ stream: 'clicks', id })
    return erasureOf({})
  }
  const known = { requests: new Map<string, Erasure>(), existing }
  expect(await earlierRequests(known, listed, ['clicks', 'shop'])).toEqual([
    { stream: 'clicks', erasure: erasureOf({}) },
  ])
})

test('one that auth does not have is none, and one of an unknown stream is not asked', async () => {
  const requests = new Map<string, Erasure>()
  const none = { requests, existing: async () => undefined }
  expect(await earlierRequests(none, listed, ['clicks', 'shop'])).toEqual([])
  expect(await earlierRequests({ requests, existing: never }, listed, ['shop'])).toEqual([])
})

test('a request of this session is known without a file', async () => {
  const requests = new Map([[requestKey('ann', 'clicks'), erasureOf({})]])
  const known = { requests, existing: never }
  expect(await earlierRequests(known, listed, ['clicks', 'shop'])).toEqual([
    { stream: 'clicks', erasure: erasureOf({}) },
  ])
})
