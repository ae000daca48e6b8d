// A gateway behind a real HTTP server, with real tokens, but without Kafka. The test controls control state, events and
// the clock, which drives only intervals, no other timers.
import { createPrivateKey } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { jest } from '@jest/globals'
import { AppError, createGuesses, createProxies } from '@weir/kit'
import { createAccounts, createGate } from '@weir/control-state'
import type {
  ApiKeyRecord,
  DerivedStream,
  InputStream,
  Reading,
  StreamRecord,
} from '@weir/control-state'
import { makeSigningKey, signIdToken } from '@weir/tokens'
import { WebSocket } from 'ws'
import type { Feed } from '../../src/websocket/feed.ts'
import { createGateway } from '../../src/websocket/gateway.ts'
import { textFrames } from '../../src/websocket/text-frame.ts'
import type { Watcher } from '../../src/websocket/watcher.ts'
import { credentialOf, followerOf, inputStream, keptLog } from './streams.ts'

const issuer = 'https://auth.example.org'
const signing = makeSigningKey()
const startMs = Date.UTC(2026, 10, 20, 12)

export type Client = {
  status: number
  header(name: string): string | undefined
  /** The body of a refusal. */
  body: string
  socket: WebSocket
  messages: string[]
  closed: Promise<{ code: number; reason: string }>
}

export async function openGateway({ webSocketsMax = 100 } = {}) {
  useTestIntervals()
  const { follower, put, putStream, removeStream, startOver, setFresh } = followerOf()
  put(`signing/${signing.kid}`, {
    type: 'signing-key',
    kid: signing.kid,
    publicJwk: signing.publicJwk,
    signsFromMs: 0,
    signsUntilMs: startMs * 2,
    publishedUntilMs: startMs * 2,
  })
  let nowMs = startMs
  const gate = createGate({ follower, issuer, now: () => nowMs })
  const feeds = fakeFeeds()
  const counts = { clients: 0, sent: 0, tooSlow: 0 }
  const readings: Reading[] = []
  const refusals: (Reading & { refused: string })[] = []
  let isTraced = true
  const gateway = createGateway({
    gate,
    trace: {
      async read(reading) {
        if (!isTraced) throw new AppError('control-state.unavailable', 'no trace')
        readings.push(reading)
      },
      refused: (reading) => void refusals.push(reading),
    },
    accounts: createAccounts(follower, () => nowMs),
    follower,
    feed: feeds.make,
    counts: {
      clients: (delta) => void (counts.clients += delta),
      sent: (messages) => void (counts.sent += messages),
      tooSlow: () => void (counts.tooSlow += 1),
    },
    guesses: createGuesses({ now: () => nowMs, proxies: createProxies() }),
    webSocketsMax,
    log: keptLog().log,
    pageOf: (code) => `https://docs.test/errors/${code}`,
  })
  const sockets = new Set<Socket>()
  const server = createServer().on('upgrade', gateway.upgrade)
  server.on('connection', (socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = addressOf(server.address())
  return {
    gateway,
    feeds,
    counts,
    readings,
    refusals,
    failTraces: () => void (isTraced = false),
    port,
    /** The server's sides of the connections. */
    connections: () => [...sockets],
    putStream,
    putAccount: (billingId: string, ...apiKeys: readonly ApiKeyRecord[]) =>
      put(`account/${billingId}`, { type: 'account', billingId, apiKeys, createdAtMs: 1 }),
    removeStream,
    startOver,
    setFresh,
    nowMs: () => nowMs,
    /** Advances the clock, and runs the intervals that are due. */
    pass(ms: number): void {
      nowMs += ms
      jest.advanceTimersByTime(ms)
    },
    tokenOf: (stream: InputStream | DerivedStream, lifeSeconds = 3_600) =>
      tokenOf(stream, nowMs, lifeSeconds),
    connect: (token: string | undefined, more: ConnectOptions = {}) =>
      connect(port, {
        ...more,
        headers: {
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...more.headers,
        },
      }),
    async close(): Promise<void> {
      await gateway.close()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      jest.useRealTimers()
    },
  }
}

/** Returns an input stream with credentials, for which a token can be created. */
export const watched = (more: Partial<InputStream> = {}): InputStream =>
  inputStream({ credentials: [credentialOf()], ...more })

function tokenOf(stream: StreamRecord, nowMs: number, lifeSeconds: number): string {
  const nowSeconds = Math.floor(nowMs / 1000)
  const { billingId, streamId, kind, name } = stream
  return signIdToken(
    { kid: signing.kid, privateKey: createPrivateKey(signing.privatePem) },
    { sub: stream.credentials[0]?.clientId ?? '', billingId, stream: name, streamId, kind },
    { issuer, nowSeconds, lifeSeconds },
  )
}

function fakeFeeds() {
  const made: { stream: StreamRecord; watchers: Set<Watcher>; closes: number }[] = []
  let joining: Promise<void> = Promise.resolve()
  return {
    made,
    send(text: string): void {
      for (const { watchers } of made)
        for (const watcher of watchers) watcher.send(textFrames([Buffer.from(text)]), 1)
    },
    /** Makes `join` wait for this promise after it has added a watcher. */
    joinAfter: (promise: Promise<void>) => void (joining = promise),
    make(stream: StreamRecord): Feed {
      const feed = { stream, watchers: new Set<Watcher>(), closes: 0 }
      made.push(feed)
      return {
        async join(watcher) {
          feed.watchers.add(watcher)
          await joining
        },
        leave(watcher) {
          feed.watchers.delete(watcher)
          return feed.watchers.size === 0
        },
        async close() {
          feed.closes += 1
        },
      }
    },
  }
}

export type ConnectOptions = {
  path?: string
  protocols?: string[]
  headers?: Record<string, string>
  autoPong?: boolean
}

/** Resolves when the upgrade is accepted or refused. */
function connect(port: number, options: ConnectOptions): Promise<Client> {
  const { path = '/ws', protocols = [], headers = {}, autoPong = true } = options
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, protocols, { headers, autoPong })
  const messages: string[] = []
  socket.on('message', (data: Buffer) => messages.push(data.toString()))
  const closed = new Promise<{ code: number; reason: string }>((resolve) =>
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() })),
  )
  return new Promise((resolve, reject) => {
    socket.on('error', reject)
    socket.on('upgrade', ({ headers: answered }) => {
      const header = (name: string) => answered[name]?.toString()
      socket.on('open', () => resolve({ status: 101, header, body: '', socket, messages, closed }))
    })
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => {
        const header = (name: string) => response.headers[name]?.toString()
        resolve({ status: response.statusCode ?? 0, header, body, socket, messages, closed })
      })
    })
  })
}

/** The test's clock runs intervals. The real clock runs everything else, especially sockets. */
function useTestIntervals(): void {
  jest.useFakeTimers({
    doNotFake: [
      'Date',
      'hrtime',
      'nextTick',
      'performance',
      'queueMicrotask',
      'setImmediate',
      'clearImmediate',
      'setTimeout',
      'clearTimeout',
    ],
  })
}

const addressOf = (address: string | AddressInfo | null): AddressInfo => {
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return address
}
