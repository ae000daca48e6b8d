// A fake auth with one input stream and one output. Everyone gets a token of one stream, and all API keys belong to one
// account. It records all requests.
import { createServer } from 'node:http'

export type FakeAuth = {
  readonly url: string
  /** Method and path of all requests. */
  readonly requests: string[]
  close(): void
}

export async function fakeAuth(
  claims: {
    readonly stream: string
    readonly kind: 'input' | 'derived'
    readonly decryptAt?: 'reader'
  },
  { billingId = 'acme', role = 'owner' } = {},
): Promise<FakeAuth> {
  const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
  const answers: Readonly<Record<string, unknown>> = {
    'GET /openapi.json': { info: { title: 'Weir auth' } },
    'POST /auth': { idToken: `e30.${payload}.c2ln`, expiresAt: Date.now() / 1000 + 3_600 },
    'GET /v2/account': { billingId, key: { role } },
    'GET /v2/streams': [{ ref: { name: 'orders' } }],
    'GET /v1/streams/orders/outputs': [],
    'GET /v2/streams/orders/outputs': [{ ref: { name: 'orders-2' }, linkedStream: 'orders' }],
  }
  const requests: string[] = []
  const server = createServer(({ method, url }, response) => {
    const asked = `${method} ${url}`
    requests.push(asked)
    const forbidden = asked.endsWith('/credentials') && role !== 'owner'
    const missing = /^\/v[12]\/(streams\/orders(-2|\/outputs\/orders)|people)\b/.test(url ?? '')
      ? 404
      : 500
    response.writeHead(asked in answers ? 200 : forbidden ? 403 : missing, {
      'content-type': 'application/json',
    })
    response.end(JSON.stringify(answers[asked] ?? {}))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, requests, close: () => void server.close() }
}
