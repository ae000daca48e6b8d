// An application on a port of its own, with a few routes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createCors, createLog } from '@weir/kit'
import type { Guesses } from '@weir/kit'
import {
  answerRest,
  createExpress,
  errorsUnder,
  mount,
  needsIn,
  readJson,
  shareWith,
} from '../../src/index.ts'
import type { ErrorForm, RouteHandler } from '../../src/index.ts'
import { errors, pageOf } from '../tables.ts'

export const page = 'https://console.test'

const needsOf = needsIn({
  'GET /things/:thing': 'viewer',
  'POST /things/:thing': 'viewer',
  'GET /plain': 'anyone',
  'GET /words/one': 'anyone',
})

const oneLine: ErrorForm = ({ message }) => ({
  status: 418,
  headers: { 'content-type': 'text/plain' },
  body: message,
})

export function appWith(handler: RouteHandler, guesses: Guesses = { count: () => undefined }) {
  const log = createLog('test', 'silent')
  const app = createExpress(log)
  app.use(shareWith(createCors({ origins: [page], requestHeaders: [] })))
  const on = { app, needsOf }
  mount(on, '/things/:thing', {
    GET: handler,
    POST: async (call) => ({ status: 201, body: await readJson(call, 2_048) }),
  })
  mount(on, '/plain', { GET: handler }, oneLine)
  errorsUnder(app, '/words', oneLine)
  answerRest(app, {
    notFound: 'There is nothing here',
    errors,
    log,
    pageOf,
    guesses,
    wrongSecretOf: ({ code }, req) =>
      code === 'invalid_api_key' ? req.get('authorization') : undefined,
  })
  return app
}

export async function serving<Result>(
  app: ReturnType<typeof appWith>,
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const server = createServer(app).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  try {
    return await use(`http://127.0.0.1:${portOf(server.address())}`)
  } finally {
    server.close()
    server.closeAllConnections()
  }
}

/** The address of a TCP server is an object. */
const portOf = (address: string | AddressInfo | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0
