// An auth whose schema registry fails.
import { createServer, request as toAuth } from 'node:http'
import type { ServerResponse } from 'node:http'

/** Starts a proxy of auth in which `schemas` replaces the schema registry. */
export async function authWithout(authUrl: string, schemas: (response: ServerResponse) => void) {
  const server = createServer((req, res) => {
    if (req.url?.startsWith('/registry')) return schemas(res)
    const { port } = new URL(authUrl)
    const { method, url: path, headers } = req
    const passed = toAuth({ port, method, path, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(res)
    })
    req.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}
