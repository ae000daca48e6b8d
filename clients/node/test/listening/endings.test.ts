// What follows when a WebSocket ends or is refused.
import { expect, test } from '@jest/globals'
import { endingOfClose, endingOfRefusal } from '../../src/listening/endings.ts'

const at = { origin: 'ws://127.0.0.1:8082' }

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
  const ending = endingOfRefusal({ status, code, retryAfter: undefined, text: '', ...at }, 0)
  const error = { code: code ?? 'refused', status }
  expect(ending).toMatchObject(kind === 'final' ? { kind, error } : { kind })
})

test('a service that is not there yet says when to come back, and why', () => {
  const refused = {
    status: 503,
    code: 'unavailable',
    retryAfter: '4',
    text: 'Kafka is away\n',
    ...at,
  }
  expect(endingOfRefusal(refused, 0)).toEqual({
    kind: 'again',
    reason: 'Kafka is away',
    afterMs: 4_000,
  })
})

test.each([
  ['ingest', 'There is nothing here\n'],
  ['auth', '{"detail":"There is nothing here"}'],
])('the address of %s is said not to be output', (_, text) => {
  const refused = { status: 404, code: 'not_found', retryAfter: undefined, text, ...at }
  expect(endingOfRefusal(refused, 0)).toMatchObject({
    error: {
      message: 'outputUrl ws://127.0.0.1:8082 is not the address of output: There is nothing here',
    },
  })
})
