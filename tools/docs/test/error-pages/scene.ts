// Prepares refusals: an account with a contract, an input stream with an output, and an input stream that accepts one
// event per month. Formats responses as in docs/errors.
import { randomBytes } from 'node:crypto'
import { request, type IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

import { asObject, freshName, signUp } from '@weir/testkit'
import type { Account, TestStream, World } from '@weir/testkit'

export type Scene = {
  readonly world: World
  readonly account: Account
  readonly clicks: TestStream
  /** An output of `clicks`. */
  readonly clicks0: TestStream
  /** A valid token of the input stream. */
  readonly token: string
}

export async function makeScene(world: World): Promise<Scene> {
  const account = await signUp(world.auth.url, freshName('page'))
  await account.contract('clickstream')
  const clicks = await account.input('clicks')
  const clicks0 = await account.output('clicks', 'clicks-0', { consentLevels: [0] })
  return { world, account, clicks, clicks0, token: await account.token(clicks) }
}

export type Told = {
  readonly status: number
  readonly text: string
  readonly header: (name: string) => string | undefined
}

export async function ask(url: string, init: RequestInit = {}): Promise<Told> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(30_000) })
  const text = await response.text()
  return {
    status: response.status,
    text,
    header: (name) => response.headers.get(name) ?? undefined,
  }
}

/** Requests a WebSocket. Returns the response if the upgrade is refused. An opened socket goes to `onOpen`. */
export async function askUpgrade(
  url: string,
  token: string,
  onOpen: (socket: Socket) => void,
): Promise<Told> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = {
    authorization: `Bearer ${token}`,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': randomBytes(16).toString('base64'),
  }
  request(url, { headers, agent: false })
    .on('response', resolve)
    .on('upgrade', (response, socket) => {
      onOpen(socket.on('error', () => {}))
      resolve(response)
    })
    .on('error', reject)
    .end()
  const response = await promise
  const status = response.statusCode ?? 0
  const header = (name: string): string | undefined => response.headers[name]?.toString()
  if (status === 101) return { status, text: '', header }
  const chunks: Uint8Array[] = []
  for await (const chunk of response) chunks.push(chunk)
  return { status, text: Buffer.concat(chunks).toString(), header }
}

const shownHeaders = ['allow', 'accept-encoding', 'retry-after', 'www-authenticate']

/**
 * Formats a response as curl does for HTTP/2, with indented JSON. Omits the headers and members that docs/errors.md
 * gives for every code.
 */
export function asShown(code: string, { status, text, header }: Told): string {
  const type = `http://127.0.0.1:8081/docs/errors/${code}`
  const body = text.startsWith('{') ? asObject(JSON.parse(text)) : undefined
  const isProblem = body !== undefined && 'title' in body
  const form = isProblem ? 'application/problem+json' : 'application/json; charset=utf-8'
  const usual = {
    'content-type': body === undefined ? 'text/plain; charset=utf-8' : form,
    link: `<${type}>; rel="help"`,
    'svc-error': code,
  }
  const unusual = Object.entries(usual)
    .filter(([name, value]) => header(name) !== value)
    .map(([name]) => `${name}: ${header(name) ?? 'missing'}`)
  const shown = shownHeaders
    .filter((name) => header(name) !== undefined)
    .map((name) => `${name}: ${header(name)}`)
  const told = body === undefined ? text.trimEnd() : JSON.stringify(body, null, 2)
  const rest = isProblem ? withoutUsual(body, { type, status, code }) : told
  return [`HTTP/2 ${status}`, ...unusual, ...shown, '', rest, ''].join('\n')
}

/** Omits members that have their usual value. Shows a missing member as null. */
function withoutUsual(body: Readonly<Record<string, unknown>>, usual: object): string {
  const shown: Record<string, unknown> = { ...body }
  for (const [member, value] of Object.entries(usual))
    if (shown[member] === value) delete shown[member]
    else shown[member] ??= null
  return JSON.stringify(shown, null, 2)
}
