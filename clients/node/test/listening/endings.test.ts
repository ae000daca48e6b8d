// What follows when a WebSocket ends or is refused.
import { expect, test } from '@jest/globals'
import { endingOfClose, endingOfRefusal } from '../../src/listening/endings.ts'

test.each([
  [1001, 'again'],
  [1006, 'again'],
  [1011, 'again'],
  [1012, 'again'],
  [1013, 'again'],
  [4401, 'token'],
  [4403, 'final'],
  [4410, 'final'],
])('after the close code %i it is: %s', (code, kind) => {
  expect(endingOfClose(code, '')).toMatchObject({ kind })
})

test.each([
  [401, 'invalid_token', 'token'],
  [403, 'scope_missing', 'final'],
  [403, 'stream_disabled', 'final'],
  [404, 'not_found', 'final'],
  [301, undefined, 'final'],
  [429, undefined, 'again'],
  [502, undefined, 'again'],
])('after an upgrade refused with %i %s it is: %s', (status, code, kind) => {
  const ending = endingOfRefusal({ status, code, retryAfter: undefined, text: '' }, 0)
  const error = { code: code ?? 'refused', status }
  expect(ending).toMatchObject(kind === 'final' ? { kind, error } : { kind })
})

test('a service that is not there yet says when to come back, and why', () => {
  const refused = { status: 503, code: 'unavailable', retryAfter: '4', text: 'Kafka is away\n' }
  expect(endingOfRefusal(refused, 0)).toEqual({
    kind: 'again',
    reason: 'Kafka is away',
    afterMs: 4_000,
  })
})
