import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createTcpServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from '@jest/globals'
import { call, helpIn, apiRefusal, requestApi, unreachable, urlOf } from '../../src/api/request.ts'
import type { ApiAnswer } from '../../src/api/request.ts'
import { renderError } from '../../src/errors.ts'
import { tryParseJson } from '../../src/json.ts'
import { closedPort } from '../support/closed-port.ts'

const answer = (status: number, text: string, retryAfter?: string): ApiAnswer => ({
  status,
  text,
  json: tryParseJson(text),
  retryAfter,
  date: undefined,
  url: new URL('http://127.0.0.1:8081/v2/streams'),
})

describe('a URL', () => {
  test('keeps the path of the address and encodes each segment whole', () => {
    const url = urlOf('https://example.org/weir/', [
      'v2',
      'contracts',
      'shop/click/1.0.0',
      'archive',
    ])
    expect(url.href).toBe('https://example.org/weir/v2/contracts/shop%2Fclick%2F1.0.0/archive')
  })

  test('carries a query', () => {
    const url = urlOf('http://127.0.0.1:8081', ['v2', 'streams', 'a'], { recursive: 'true' })
    expect(url.href).toBe('http://127.0.0.1:8081/v2/streams/a?recursive=true')
  })

  test.each(['', '.', '..'])('refuses %p as a name, which would mean another resource', (name) => {
    expect(() => urlOf('http://127.0.0.1', ['v2', 'streams', name])).toThrow(
      `'${name}' isn't a name`,
    )
  })

  test('a name that is percent-encoded already names only itself', () => {
    expect(urlOf('http://a', ['v2', '%2e%2e', 'a?b#c']).pathname).toBe('/v2/%252e%252e/a%3Fb%23c')
  })

  test.each(['127.0.0.1:8081', 'nonsense', 'file:///etc/passwd'])('refuses %s', (address) => {
    expect(() => urlOf(address, ['auth'])).toThrow("isn't the address of a service")
  })
})

describe('a refusal', () => {
  test('of a name that is still being deleted does not ask for another name', () => {
    const refused = { ...answer(409, '{"detail": "No."}', '5'), code: 'being_deleted' }
    const advice = { 409: 'Choose another name.' }
    expect(apiRefusal(refused, advice).advice).toEqual(['Try again in 5 s.'])
  })

  test('shows the detail of a problem document and every single problem', () => {
    const text = JSON.stringify({
      title: 'Invalid',
      detail: 'The stream is not valid.',
      problems: ['name: too long', 'tags: not a list'],
    })
    expect(renderError(apiRefusal(answer(422, text))).split('\n')).toEqual([
      'weir: The stream is not valid. (422)',
      '  - name: too long',
      '  - tags: not a list',
    ])
  })

  test('says a problem once, in its sentence or in a list', () => {
    const told = (problems: string[]): string =>
      renderError(
        apiRefusal(
          answer(422, JSON.stringify({ title: 'Invalid', detail: problems.join('; '), problems })),
        ),
      )
    expect(told(['name is too long'])).toBe('weir: name is too long (422)')
    expect(told(['name is too long', 'tags is no list'])).toBe(
      'weir: Invalid (422)\n  - name is too long\n  - tags is no list',
    )
  })

  test('of a path by something that is no auth doubts the address', () => {
    expect(apiRefusal(answer(404, 'Nothing here')).advice).toEqual([
      'Is http://127.0.0.1:8081 the right address?',
    ])
    const unknown = JSON.stringify({ code: 'not_found', detail: 'There is no stream a' })
    expect(apiRefusal(answer(404, unknown)).advice).toEqual([])
  })

  test("shows auth's message, and what to do about a refused key", () => {
    const text = JSON.stringify({ code: 'invalid_credentials', message: 'Wrong credentials.' })
    expect(renderError(apiRefusal(answer(401, text)))).toBe(
      'weir: Wrong credentials. (401)\n  `weir account login` saves another API key.',
    )
  })

  test('gives the same advice when the wrong key was sent too often, because it stays wrong', () => {
    const text = JSON.stringify({ detail: 'This key is wrong.' })
    const often = { ...answer(429, text, '41'), code: 'too_many_failures' }
    expect(apiRefusal(often).advice).toEqual(['`weir account login` saves another API key.'])
    expect(apiRefusal(often, { 401: 'Is the secret complete?' }).advice).toEqual([
      'Is the secret complete?',
    ])
  })

  test('prefers the advice of the command, and says when to come back', () => {
    const text = JSON.stringify({ title: 'Conflict', outputs: ['clicks-1'] })
    const error = apiRefusal(answer(409, text, '3'), { 409: 'Add --recursive.' })
    expect(error.message).toBe('Conflict (409)')
    expect(error.advice).toEqual(['- clicks-1', 'Try again in 3 s.', 'Add --recursive.'])
    expect(error.exitCode).toBe(1)
  })

  test("shows ingest's line as it is, but no page of a proxy", () => {
    expect(apiRefusal(answer(400, "Unknown schema id: 'x'\n")).message).toBe(
      "Unknown schema id: 'x' (400)",
    )
    expect(apiRefusal(answer(502, '<html>Bad gateway</html>')).message).toBe(
      'http://127.0.0.1:8081 refused (502)',
    )
  })

  test('ends with the page that the service links to, and with nothing else that it links to', () => {
    const told = (link: string): string | undefined =>
      apiRefusal({ ...answer(401, '{"detail":"No."}'), help: helpIn(link) }).page
    expect(told('<https://a.test/docs/errors/invalid_api_key>; rel="help"')).toBe(
      'https://a.test/docs/errors/invalid_api_key',
    )
    for (const other of ['<https://a.test/next>; rel="next"', '<file:///etc>; rel="help"', ''])
      expect(told(other)).toBeUndefined()
  })

  test('never lets an answer steer the terminal', () => {
    const text = JSON.stringify({ detail: '\u001b[2J', problems: ['\u001b]0;x\u0007'] })
    const shown = renderError(apiRefusal(answer(422, text)))
    expect(shown).not.toContain('\u001b')
    expect(shown).not.toContain('\u0007')
  })
})

test('a list is read page by page, with the same key, and from nowhere else', async () => {
  const asked: string[] = []
  const pages: Record<string, readonly [list: unknown, link: string]> = {
    '/v2/streams': [['a'], '<?cursor=1>; rel="next"'],
    '/v2/streams?cursor=1': [['b', 'c'], '<?cursor=2>; rel="next"'],
    '/v2/streams?cursor=2': [['d'], '<https://elsewhere.test/?cursor=3>; rel="next"'],
  }
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(`${url} ${headers.authorization}`)
    const [list, link = ''] = pages[url] ?? []
    response.setHeader('link', link).end(JSON.stringify(list))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const url = new URL(`http://127.0.0.1:${port}/v2/streams`)
  const list = await call({ method: 'GET', url, bearer: 'the-key' })
  server.close()
  expect(list).toEqual(['a', 'b', 'c', 'd'])
  expect(asked).toEqual(Object.keys(pages).map((path) => `${path} Bearer the-key`))
})

describe('when nothing answers', () => {
  test('a closed port is named, and how to start Weir', async () => {
    const url = new URL(`http://127.0.0.1:${await closedPort()}/v2/account`)
    const error = await requestApi({ method: 'GET', url, bearer: 'the-key' }).catch(renderError)
    expect(error).toContain(`nothing listens at ${url.origin} (ECONNREFUSED)`)
    expect(error).toContain('npm start')
    expect(error).not.toContain('the-key')
  })

  test.each([
    [
      'http',
      'SSH-2.0-x\r\n',
      'does not answer with HTTP (',
      'With TLS its address must start with https://',
    ],
    ['http', '', 'does not answer with HTTP (', 'With TLS its address must start with https://'],
    [
      'https',
      '',
      'does not answer with HTTPS (',
      'Without TLS its address must start with http://',
    ],
    [
      'https',
      'HTTP/1.1 400 Bad Request\r\n\r\n',
      'no TLS connection to',
      'must start with http://',
    ],
  ])('what is no service for %s:// and says %j is told', async (scheme, said, what, advice) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(said))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const url = new URL(`${scheme}://127.0.0.1:${port}/v2/account`)
    const error = await requestApi({ method: 'GET', url }).catch(renderError)
    expect(error).toContain(what)
    expect(error).toContain(advice)
    server.close()
  })

  test('an unknown host and an untrusted certificate are told apart', () => {
    const url = new URL('https://weir.invalid')
    const because = (code: string): Error =>
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code }) })
    expect(unreachable(url, because('ENOTFOUND')).message).toContain(
      'the host weir.invalid is unknown',
    )
    expect(unreachable(url, because('DEPTH_ZERO_SELF_SIGNED_CERT')).message).toContain(
      "isn't trusted",
    )
    expect(unreachable(url, because('EHOSTUNREACH')).message).toContain('no connection at')
    expect(unreachable(url, because('ERR_SSL_WRONG_VERSION_NUMBER')).message).toContain(
      'no TLS connection to',
    )
    const refused = new TypeError('fetch failed', { cause: new Error('bad port') })
    expect(unreachable(url, refused).message).toContain('(bad port)')
  })
})
