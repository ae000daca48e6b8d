// The origins for which browsers may show a service's responses.
import { expect, test } from '@jest/globals'
import { z } from 'zod'
import { corsFields, createCors, loadConfig } from '../../src/index.ts'

const own = 'https://weir.example.com'
const cors = createCors({ origins: [own], requestHeaders: [] })

const asked = (origin: string) => ask('POST', { origin })
const preflight = (origin: string) =>
  ask('OPTIONS', { origin, 'access-control-request-method': 'POST' })

function ask(method: string, headers: Readonly<Record<string, string>>) {
  const shared = cors({ method, header: (name) => headers[name] })
  if (shared === undefined) throw new Error('a page asks, and is not seen')
  return shared
}

test('what no page asks is not looked at', () => {
  expect(cors({ method: 'POST', header: () => undefined })).toBeUndefined()
})

test('an origin that is named may read answers, and what our headers say', () => {
  const { headers, isPreflight } = asked(own)
  expect(isPreflight).toBe(false)
  expect(headers).toEqual({
    'access-control-allow-origin': own,
    'access-control-expose-headers': 'svc-error, svc-request-id, retry-after, link',
    vary: 'Origin',
  })
})

test('its preflight is told which methods and headers it may send', () => {
  const { headers, isPreflight } = preflight(own)
  expect(isPreflight).toBe(true)
  expect(headers).toMatchObject({
    'access-control-allow-origin': own,
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    vary: 'Origin',
  })
})

test('nobody is let in with cookies, and nobody by a wildcard', () => {
  const all = [asked(own), preflight(own)].flatMap(({ headers }) => Object.entries(headers))
  expect(all.map(([name]) => name)).not.toContain('access-control-allow-credentials')
  expect(all.map(([, value]) => value)).not.toContain('*')
})

test.each(['https://weir.example.com.evil.org', 'http://weir.example.com', 'null', own + '/'])(
  'the origin %s is told nothing',
  (origin) => {
    const told = { headers: { vary: 'Origin' }, isPreflight: false }
    expect(asked(origin)).toEqual(told)
    expect(preflight(origin)).toEqual(told)
  },
)

const schema = z.object(corsFields)

test('unless said otherwise it is output on this machine; none is nobody', () => {
  const { CONSOLE_ORIGINS: unset } = loadConfig<z.infer<typeof schema>>(schema, {})
  expect(unset).toEqual(['http://127.0.0.1:8083', 'http://localhost:8083'])
  const { CONSOLE_ORIGINS: none } = loadConfig<z.infer<typeof schema>>(schema, {
    CONSOLE_ORIGINS: 'none',
  })
  expect(none).toEqual([])
})

test.each(['*', 'weir.example.com', 'https://weir.example.com/console', 'null'])(
  'CONSOLE_ORIGINS may not be %s',
  (text) => {
    expect(() => loadConfig(schema, { CONSOLE_ORIGINS: text })).toThrow('CONSOLE_ORIGINS')
  },
)
