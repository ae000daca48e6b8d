import { describe, expect, test } from '@jest/globals'
import {
  closed,
  oneLine,
  refusedUpgrade,
  webSocketUrl,
} from '../../../src/commands/events/listen.ts'

test.each([
  ['http://127.0.0.1:8083', 'ws://127.0.0.1:8083/ws'],
  ['https://output.example.org/weir/', 'wss://output.example.org/weir/ws'],
  ['wss://output.example.org', 'wss://output.example.org/ws'],
])('the WebSocket of %s is %s', (address, url) => {
  expect(webSocketUrl(address).href).toBe(url)
})

test.each([
  [1013, 'clicks has more events than this connection can receive (1013)'],
  [4401, 'the token of clicks has expired'],
  [4403, 'clicks is disabled (4403)'],
  [4410, 'clicks has been deleted (4410)'],
  [1006, 'the connection ended (1006)'],
])('close code %d is told in words, with something to do', (code, words) => {
  const error = closed('clicks', code)
  expect(error.message).toContain(words)
  expect(error.advice).not.toHaveLength(0)
  expect(error.exitCode).toBe(1)
})

describe('a refused upgrade', () => {
  test('tells what the service said', () => {
    expect(refusedUpgrade('clicks', { status: 403, body: 'Stream is disabled\n' }).message).toBe(
      'Stream is disabled (403)',
    )
    expect(
      refusedUpgrade('clicks', { status: 401, body: '{"detail":"Token revoked"}' }).message,
    ).toBe('Token revoked (401)')
  })

  test('for want of a scope says how to get it, and not that the stream may be disabled', () => {
    const refused = { status: 403, body: 'No scope listen\n', code: 'scope_missing' }
    expect(refusedUpgrade('clicks', refused).advice).toEqual([
      '`weir credentials rotate clicks --save` creates credentials that may listen.',
    ])
  })

  test('without a word from the service is told as well', () => {
    expect(refusedUpgrade('clicks', { status: 401, body: '' }).message).toBe(
      'listening to clicks was refused (401)',
    )
  })
})

test('an event is one line, whatever the message looks like', () => {
  expect(oneLine('{"a":1}')).toBe('{"a":1}')
  expect(oneLine('{\n"a":1}')).toBe('{"a":1}')
})
