// A receipt in sentences: each says what was signed, and nothing more.
import { expect, test } from '@jest/globals'
import { inWords } from '../src/receipt-words.ts'

const claims = {
  jti: '7a1e',
  billingId: 'acme',
  stream: 'shop',
  subjects: ['a'],
  levels: 'all',
  found: { events: 7, by: [{ events: 7, contract: 'orders', field: 'customer/id' }] },
  acceptedAt: '2026-11-20T10:00:00.000Z',
  appliedAt: '2026-11-20T10:00:02.000Z',
  completeAt: '2026-11-20T10:11:00.000Z',
  outputs: [
    { name: 'marketing', tags: ['mail agency'], levels: [2], clearAt: '2026-11-27T10:00:00.000Z' },
    { name: 'research', levels: [1], clearAt: 'unknown', because: 'kept for ever' },
  ],
  contracts: [
    { id: 'orders', field: 'customer/id' },
    { id: 'visits', field: 'session' },
  ],
  otherContracts: ['calls'],
}

test('an erasure', () => {
  const { title, says, doesNotSay } = inWords({ ...claims, reference: 'T-1' })
  expect(title).toBe('Erasure of one person')
  expect(says).toEqual([
    'On 20 Nov 2026, 10:00 UTC, Weir received the request to erase one person from the stream shop of the account acme.',
    'Before that a search of the stream found 7 events: 7 of orders, where customer/id names the person.',
    'Since 20 Nov 2026, 10:00 UTC, no program of Weir decrypts any personal field in events that were stored before and have the value that names the person in customer/id (of orders). The same would hold for session (of visits), but no event had such a value there.',
    "Since 20 Nov 2026, 10:11 UTC, the request is complete: Weir's log of keys no longer contains the keys for this. To check that, Weir read the whole log again.",
    'The output marketing (mail agency) may contain values that it decrypted before: until 27 Nov 2026, 10:00 UTC.',
    'The output research may contain values that it decrypted before: it is not known until when (kept for ever).',
    'Its reference is T-1.',
    'The id of the request is 7a1e.',
  ])
  expect(doesNotSay[1]).toContain('a copy of the old keys')
  expect(doesNotSay).toContainEqual(expect.stringContaining('events of calls'))
  expect(doesNotSay).toContain(
    'Which of these outputs got events of the person: it names every output that could.',
  )
  expect(doesNotSay).toContain(
    'Anything about events that name the person only in other fields: they are not covered.',
  )
})

test('a withdrawal names the levels, and says nothing of others', () => {
  const purposes = [{ level: 3, title: 'research' }]
  const people = { levels: [2, 3], subjects: ['a', 'b'], outputs: [], purposes }
  const { title, says } = inWords({ ...claims, ...people })
  expect(title).toBe('Withdrawal of consent for level 2, 3 (research) by 2 people')
  expect(says[0]).toContain(
    'that 2 people had withdrawn their consent for level 2, 3 (research) in',
  )
  expect(says[2]).toContain('decrypts a field of level 2, 3, or uses that consent,')
  expect(says[2]).toContain('have a value that names one of these people in customer/id')
  expect(says).toHaveLength(5)
})

test('a withdrawal says that fields of other levels can still be decrypted, and an event found by its key field so', () => {
  const found = {
    events: 1,
    by: [{ events: 1, contract: 'orders', field: 'mail', as: 'data_subject_field' }],
  }
  const { says, doesNotSay } = inWords({ ...claims, levels: [2], found })
  expect(doesNotSay.at(-1)).toContain(
    'with the fields of other levels, which can still be decrypted',
  )
  expect(says.join(' ')).toContain(
    '1 of orders, of the same session, device or the like as an event where mail names the person',
  )
})

test('an erasure by data subject covers what was sent under the same key field values', () => {
  const { says, doesNotSay } = inWords({ ...claims, as: ['data_subject_field'] })
  expect(says[2]).toContain(
    'customer/id (of orders). The same holds for all earlier events of the same session, device or the like: those with the same value in the key field as one of these events. The same would hold for session (of visits), but no event had such a value there.',
  )
  expect(doesNotSay).toContain(
    'Anything about events of calls in this stream: this request did not look for the value in them. It covers only those of the same session, device or the like as an event of the person.',
  )
})

test('0 found is said, and destroyed keys are only where it was signed', () => {
  const none = inWords({ ...claims, found: { events: 0, by: [] } })
  expect(none.title).toBe('Record that nothing was found of one person')
  expect(none.says[0]).toMatch(
    /^On .* the request to record that nothing was found of one person in the stream shop .* takes effect as an erasure\.$/,
  )
  expect(none.says[1]).toContain('found 0 events')
  expect(none.says).toContain(
    'The output marketing (mail agency) may contain values of events that had left the stream before the search: until 27 Nov 2026, 10:00 UTC.',
  )
  const partly = inWords({ ...claims, found: { events: 0, by: [], notSearched: '2 are old' } })
  expect(partly.says[1]).toBe(
    'Before that a search of the stream found 0 events of the person. Events that arrived between the search and the request are covered, too. Not everything was searched: 2 are old.',
  )
  expect(partly.title).toBe('Erasure of one person') // the search was incomplete
  const destroyed = inWords({ ...claims, destroyedAt: '2026-12-20T10:00:00.000Z' })
  expect(destroyed.says).toContainEqual(
    expect.stringContaining('master keys of that time are destroyed'),
  )
  expect(destroyed.doesNotSay.join()).not.toContain('copy of the old keys')
})

test('an output that was clear when the receipt was signed contains nothing of it any more', () => {
  const [marketing, research] = claims.outputs
  const outputs = [marketing, { ...marketing, events: 1, foundLevels: [] }, research]
  const iat = Date.parse('2026-11-27T10:00:00.000Z') / 1_000
  expect(inWords({ ...claims, iat, outputs }).says.slice(4, 7)).toEqual([
    'The output marketing (mail agency) may have contained values that it decrypted before: until 27 Nov 2026, 10:00 UTC.',
    expect.stringMatching(/after the search may have been there: until 27 Nov 2026, 10:00 UTC\.$/),
    expect.stringContaining('The output research may contain'),
  ])
})

test('an output in which the search found nothing may contain only later events', () => {
  const [marketing, research] = claims.outputs
  const outputs = [
    { ...marketing, events: 3, foundLevels: [2] },
    { ...research, events: 0, foundLevels: [] },
    { ...research, name: 'regions', events: 1, foundLevels: [] },
  ]
  const { says, doesNotSay } = inWords({ ...claims, outputs })
  expect(says.slice(4, 7)).toEqual([
    'The output marketing (mail agency) may contain values that it decrypted before: until 27 Nov 2026, 10:00 UTC.',
    expect.stringMatching(
      /^The same search found 0 events in the output research\. Values of events that came there after the search may be there: /,
    ),
    expect.stringMatching(
      /^The same search found 1 event in the output regions, without a decrypted personal field\. Values /,
    ),
  ])
  expect(doesNotSay.join()).not.toContain('Which of these outputs')
})

test('what a restore left unknown', () => {
  const erasuresLost = [{ since: '2026-11-21T10:00:00.000Z', until: '2026-11-21T12:00:00.000Z' }]
  const { doesNotSay } = inWords({
    ...claims,
    erasuresLost,
    incompleteSince: '2026-11-19T10:00:00.000Z',
  })
  expect(doesNotSay).toContainEqual(
    expect.stringContaining('requests between 21 Nov 2026, 10:00 UTC and 21 Nov 2026, 12:00 UTC'),
  )
  expect(doesNotSay).toContainEqual(
    expect.stringContaining('all events of the person since 19 Nov 2026'),
  )
})

test('who signed it, and that nobody else says so', () => {
  const iss = 'https://weir.example.org'
  const { says, doesNotSay } = inWords({ ...claims, iss, iat: 1_763_633_460 })
  expect(says[0]).toBe(
    'This receipt was signed on 20 Nov 2025, 10:11 UTC by Weir at https://weir.example.org, the software that receives and stores the events of the account acme.',
  )
  expect(doesNotSay[0]).toContain('a statement of the organization that runs this Weir')
})

test('claims that are missing are not invented', () => {
  const { says } = inWords({})
  expect(says[0]).toMatch(/^On a time that it does not name, /)
})

test('events that only an output of readers still has are no «nothing found»', () => {
  const found = { events: 0, by: [] }
  const readers = [{ name: 'lake', levels: [0], events: 3, keyMaxAgeSeconds: 300 }]
  const titleOf = (more: object) => inWords({ ...claims, found, outputs: [], ...more }).title
  expect(titleOf({})).toBe('Record that nothing was found of one person')
  expect(titleOf({ readers })).toBe('Erasure of one person')
})

test('an output whose readers decrypt is named, with how long they may use a key', () => {
  const lake = { name: 'lake', tags: ['agency'], levels: [0, 2], events: 28, keyMaxAgeSeconds: 300 }
  const { says, doesNotSay } = inWords({ ...claims, readers: [lake] })
  expect(says).toContain(
    'The output lake (agency) contains encrypted fields; its readers decrypt level 0, 2 with keys that Weir lends them. The same search found 28 events in it. Weir gives them no key for this any more. They may use a key for at most 5 minutes: for the last ones, this time had passed at 20 Nov 2026, 10:00 UTC.',
  )
  expect(doesNotSay).toContainEqual(
    expect.stringContaining('that readers of an output decrypted and stored before'),
  )
})
