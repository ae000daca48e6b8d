// Shows a new user one event: as it is sent, as its input stream contains it, and as each derived stream contains it.
// The event is real: it passes through ingest, and returns over WebSockets.
import { createApi, DemoError, expectDemoStatus, objectOf, textOf } from './api.ts'
import type { DemoAccount, DemoStream } from './demo-account.ts'

const waitMs = 30_000

/** Sends the event. Resolves with the event as each stream's WebSocket shows it, in the demo's order. */
export async function sendAndWatch(
  demo: DemoAccount,
  event: { schemaId: string; body: string },
): Promise<Map<string, Record<string, unknown>>> {
  const tokens = new Map<string, string>()
  for (const stream of demo.streams) tokens.set(stream.name, await tokenOf(demo, stream))
  const watchers = await Promise.all(
    demo.streams.map((stream) => watch(demo.outputUrl, stream.name, tokens.get(stream.name) ?? '')),
  )
  try {
    await send(demo, tokens.get(demo.streams[0]?.name ?? '') ?? '', event)
    return new Map(
      await Promise.all(watchers.map(async ({ name, first }) => [name, await first] as const)),
    )
  } finally {
    for (const { close } of watchers) close()
  }
}

async function tokenOf(demo: DemoAccount, { clientId, clientSecret }: DemoStream): Promise<string> {
  const api = createApi(demo.authUrl, demo.apiKey)
  const reply = await api.post('/auth', { billingId: demo.billingId, clientId, clientSecret })
  return textOf(expectDemoStatus(reply, 'Getting a token', 200).body, 'idToken')
}

async function send(
  demo: DemoAccount,
  token: string,
  { schemaId, body }: { schemaId: string; body: string },
): Promise<void> {
  const response = await fetch(`${demo.ingestUrl}/event`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'svc-schema-id': schemaId,
      'content-type': 'application/json',
    },
    body,
    signal: AbortSignal.timeout(waitMs),
  })
  if (response.status !== 204)
    throw new DemoError(`ingest answered ${response.status}: ${await response.text()}`)
}

type Watching = { name: string; first: Promise<Record<string, unknown>>; close: () => void }

/** Resolves once the socket is open, and misses no event after that. */
function watch(outputUrl: string, name: string, token: string): Promise<Watching> {
  const socket = new WebSocket(`${outputUrl.replace(/^http/, 'ws')}/ws`, [
    'weir',
    `bearer.${token}`,
  ])
  const {
    promise: first,
    resolve: gotFirst,
    reject: gotNone,
  } = Promise.withResolvers<Record<string, unknown>>()
  first.catch(() => {}) // the caller that waits for `first` gets the error
  const failed = (why: string): DemoError =>
    new DemoError(`The stream ${name} showed nothing: ${why}`)
  const timer = setTimeout(() => gotNone(failed(`no event in ${waitMs / 1000} s`)), waitMs)
  const close = (): void => {
    clearTimeout(timer)
    socket.close()
  }
  return new Promise((resolve, reject) => {
    socket.onopen = () => resolve({ name, first, close })
    socket.onmessage = (message) => gotFirst(objectOf(String(message.data)))
    socket.onclose = ({ code }) => {
      gotNone(failed(`the WebSocket was closed with ${code}`))
      reject(failed(`the WebSocket was closed with ${code}`))
    }
  })
}
