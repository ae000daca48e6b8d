// What the log shows, and what it must hide.

import { expect, test } from '@jest/globals'

import { AppError, createLog } from '../../src/index.ts'
import type { Log } from '../../src/index.ts'

const JWT = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhYmMifQ.c2lnbmF0dXJl'

function capture(level?: string): { log: Log; lines: string[] } {
  const lines: string[] = []
  return { lines, log: createLog('auth', level, { write: (line) => void lines.push(line) }) }
}

function only(lines: string[]): unknown {
  expect(lines).toHaveLength(1)
  return JSON.parse(lines[0] ?? '')
}

test('a line is JSON with time, level, service, message and fields', () => {
  const { log, lines } = capture()
  log.info({ partition: 3, offset: 12n }, 'taken')
  expect(only(lines)).toEqual({
    level: 'info',
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    service: 'auth',
    partition: 3,
    offset: '12',
    msg: 'taken',
  })
})

test('the level decides what is written', () => {
  const { log, lines } = capture('warn')
  log.info('quiet')
  log.warn('loud')
  expect(only(lines)).toMatchObject({ msg: 'loud' })
})

test.each([
  'authorization',
  'Authorization',
  'clientSecret',
  'client_secret',
  'apiKey',
  'x-api-key',
  'idToken',
  'refreshToken',
  'password',
  'cookie',
  'privatePem',
  'PLATFORM_KEY',
  'keyFieldValue',
])('a field named %s is blanked at every depth and in child loggers', (name) => {
  const { log, lines } = capture()
  log.info({ [name]: 'hunter2', a: { b: [{ [name]: 'hunter2' }] } }, 'x')
  log.child({ [name]: 'hunter2', c: { [name]: 'hun"ter2' } }).info('y')
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(line).not.toMatch(/hun/)
    expect(line).toContain('[redacted]')
    expect(() => JSON.parse(line)).not.toThrow()
  }
})

test('tokens are blanked wherever they stand, the message included', () => {
  const { log, lines } = capture()
  log.info({ header: `Bearer ${JWT}`, note: [JWT] }, `got ${JWT}`)
  log.info('basic: Basic dXNlcjpwYXNzd29yZA==')
  log.child({ note: JWT }).info('child')
  expect(lines.join('')).not.toMatch(/eyJ|dXNlc/)
  expect(lines).toHaveLength(3)
})

test('bytes are never printed', () => {
  const { log, lines } = capture()
  log.info({ key: Buffer.from('abcdef') }, 'x')
  expect(only(lines)).toMatchObject({ key: '[6 bytes]' })
})

test('an error is written with code and message; its causes give name and code alone', () => {
  const { log, lines } = capture()
  const inner = Object.assign(new TypeError('value jane@example.com'), { code: 'E_INNER' })
  log.error({ err: new AppError('unavailable', 'Kafka is away', { cause: inner }) }, 'failed')
  expect(only(lines)).toMatchObject({
    msg: 'failed',
    err: {
      name: 'AppError',
      code: 'unavailable',
      message: 'Kafka is away',
      causes: ['TypeError E_INNER'],
    },
  })
  expect(lines[0]).not.toContain('jane')
})

test('an error that quotes its input keeps its words to itself, even when logged alone', () => {
  const { log, lines } = capture()
  try {
    JSON.parse('{"mail": jane@example.com}')
  } catch (error) {
    log.error(error)
    log.error(error, 'could not read')
    log.error({ nested: { reason: error } }, 'could not read')
  }
  expect(lines).toHaveLength(3)
  expect(lines.join('')).not.toContain('jane')
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: 'error', err: { name: 'SyntaxError' } })
})

test('a circular object does no harm', () => {
  const { log, lines } = capture()
  const loop: Record<string, unknown> = {}
  loop['self'] = loop
  log.info({ loop }, 'x')
  expect(lines).toHaveLength(1)
})
