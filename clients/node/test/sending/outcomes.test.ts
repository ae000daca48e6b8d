// What each response of ingest means for the events of the request.
import { expect, test } from '@jest/globals'
import { verdictOf } from '../../src/sending/outcomes.ts'

const now = 0
const answer = (status: number, more: object = {}) => ({
  status,
  code: undefined,
  retryAfter: undefined,
  text: '',
  ...more,
})
const first = (...given: Parameters<typeof verdictOf>) => verdictOf(...given).outcomes[0]

test('204 means stored, for one event', () => {
  expect(verdictOf(answer(204), 1, now)).toEqual({ outcomes: [{ kind: 'stored' }], isWhole: true })
  expect(first(answer(204), 2, now)).toMatchObject({ kind: 'again', mayBeStored: true })
})

test('200 names the events that are not stored, each with its own outcome', () => {
  const text = JSON.stringify({
    accepted: 2,
    rejected: [
      { index: 1, status: 400, code: 'validation_failed', message: 'no' },
      { index: 2, status: 503, code: 'unavailable', message: 'later' },
      { index: 4, status: 429, code: 'event_rate_exceeded', message: 'slower' },
      { index: 5, status: 401, code: 'invalid_token', message: 'revoked' },
    ],
  })
  const { outcomes, isWhole } = verdictOf(answer(200, { text }), 6, now)
  expect(isWhole).toBe(false)
  expect(outcomes).toMatchObject([
    { kind: 'stored' },
    { kind: 'rejected', isOfEvent: true, error: { code: 'validation_failed', message: 'no' } },
    { kind: 'again', mayBeStored: true, isRate: false },
    { kind: 'stored' },
    { kind: 'again', mayBeStored: false, isRate: true, afterMs: 1_000 },
    { kind: 'token' },
  ])
})

test.each([
  ['is cut off', '{"accepted":2,"rej'],
  ['counts other events', '{"accepted":3,"rejected":[]}'],
  [
    'names an event that was not sent',
    '{"accepted":1,"rejected":[{"index":2,"status":400,"message":""}]}',
  ],
  [
    'names an event twice',
    '{"accepted":0,"rejected":[{"index":1,"status":400},{"index":1,"status":400}]}',
  ],
])('an answer that %s proves nothing', (_what, text) => {
  expect(verdictOf(answer(200, { text }), 2, now).outcomes).toMatchObject(
    Array(2).fill({ kind: 'again', mayBeStored: true }),
  )
})

test.each([
  [400, 'undecodable', true],
  [400, 'key_field_empty', true],
  [400, 'invalid_consent_levels', true],
  [400, 'unknown_schema_id', false],
  [402, 'event_count_used_up', false],
  [403, 'stream_disabled', false],
  [429, 'subject_links_exceeded', false],
  [413, 'too_large', false],
  [404, 'refused', false],
  [301, 'refused', false],
])('%i %s is final, and follows from the event alone: %p', (status, code, isOfEvent) => {
  expect(first(answer(status, { code, text: 'the line' }), 1, now)).toMatchObject({
    kind: 'rejected',
    isOfEvent,
    error: { code, status, message: 'the line' },
  })
})

test('a refusal in words that are not known is final all the same', () => {
  expect(first(answer(418, { code: 'teapot' }), 1, now)).toMatchObject({
    kind: 'rejected',
    error: { code: 'refused', message: 'ingest answers 418' },
  })
})

test.each([500, 502, 503, 504, 408, 425, 199])(
  '%i may pass, and the event may be stored',
  (status) => {
    const outcome = first(answer(status, { retryAfter: '3' }), 1, now)
    expect(outcome).toMatchObject({ kind: 'again', mayBeStored: true, afterMs: 3_000 })
  },
)

test('429 stores nothing and says when to come back', () => {
  expect(first(answer(429, { retryAfter: '2' }), 5, now)).toMatchObject({
    kind: 'again',
    mayBeStored: false,
    isRate: true,
    afterMs: 2_000,
  })
})

test('without an answer it depends on whether the request was on its way', () => {
  for (const mayBeStored of [true, false])
    expect(first({ trouble: 'broke off', mayBeStored }, 3, now)).toMatchObject({
      kind: 'again',
      mayBeStored,
      trouble: 'broke off',
    })
})
