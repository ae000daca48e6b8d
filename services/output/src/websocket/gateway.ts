// The WebSocket gateway, for development (spec Receive events over websocket): upgrades those who may
// watch, and ends a connection within a second of its right to be there.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createFaultLog, requestIdOf } from '@weir/kit'
import type { Guesses, Log, PageOf } from '@weir/kit'
import type { AccessTrace, Accounts, Gate, StateFollower, StreamRecord } from '@weir/control-state'
import { controlTopic } from '@weir/control-state'
import type { WebSocket } from 'ws'
import { WebSocketServer } from 'ws'
import { admit, isRefused, unavailable } from './admit.ts'
import type { Admitted } from './admit.ts'
import { targetOf } from '../access/audit-target.ts'
import type { Feed } from './feed.ts'
import { createHeld, tooManyWebSockets } from './held-sockets.ts'
import { limitGuesses, refuseUpgrade, upgradeStatus } from './refuse-upgrade.ts'
import type { UpgradeRefusal } from './refuse-upgrade.ts'
import { closing, createWatcher } from './watcher.ts'
import type { Closing, Watcher } from './watcher.ts'

const pingEveryMs = 20_000
const checkEveryMs = 1_000
const messageBytesMax = 4_096 // clients have nothing to say

export type GatewayDeps = {
  gate: Gate
  accounts: Accounts
  trace: Pick<AccessTrace, 'read'>
  follower: Pick<StateFollower, 'tables' | 'isFresh' | 'onChange' | 'refresh'>
  /** Makes the feed of a stream's topic, for its first client. */
  feed: (stream: StreamRecord) => Feed
  counts: { clients(delta: 1 | -1): void; sent(messages: number): void; tooSlow(): void }
  guesses: Guesses
  /** Of one credential at once. */
  webSocketsMax: number
  log: Log
  /** Where a code is explained. */
  pageOf: PageOf
}

export type Gateway = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): Promise<void>
}

type Client = { access: Admitted; watcher: Watcher; socket: WebSocket; answered: boolean }

export function createGateway(deps: GatewayDeps): Gateway {
  const { gate, accounts, follower, log, counts, pageOf } = deps
  const clients = new Set<Client>()
  const feeds = new Map<string, Feed>()
  const held = createHeld(deps.webSocketsMax)
  const tellFault = createFaultLog(log)
  let isClosing = false
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has('weir') ? 'weir' : false),
  })

  const feedOf = (stream: StreamRecord): Feed => {
    const feed = feeds.get(stream.streamId) ?? deps.feed(stream)
    feeds.set(stream.streamId, feed)
    return feed
  }

  const leave = (stream: StreamRecord, feed: Feed, watcher: Watcher): void => {
    if (!feed.leave(watcher) || feeds.get(stream.streamId) !== feed) return
    feeds.delete(stream.streamId)
    feed.close().catch((error: unknown) => log.warn({ err: error }, 'a feed did not close cleanly'))
  }

  /** Why the client may not be here any more; undefined while it may. */
  const reasonToEnd = (access: Admitted): Closing | undefined => {
    if (isClosing) return closing.restart
    if (!follower.isFresh()) return closing.unsure
    const stream = follower.tables.streamById(access.stream.streamId)
    if (stream?.state !== 'ready') return closing.gone
    if (!access.mayStay()) return closing.tokenDead
    return stream.enabled ? undefined : closing.disabled
  }

  const check = ({ access, watcher }: Client): void => {
    const why = reasonToEnd(access)
    if (why !== undefined) watcher.end(why)
  }

  const opened = (client: Client, connection: Duplex): void => {
    const { socket, watcher } = client
    clients.add(client)
    counts.clients(1)
    socket.on('pong', () => (client.answered = true))
    socket.on('error', () => {}) // a close follows, and that is all there is to do
    socket.on('close', () => {
      clients.delete(client)
      counts.clients(-1)
    })
    check(client) // before anything is sent: it may have lost its right while it was being let in
    watcher.attach(socket, connection)
  }

  const turnAway = (
    { headers }: IncomingMessage,
    socket: Duplex,
    { refusal, error }: { refusal: UpgradeRefusal; error?: unknown },
  ): void => {
    const { code } = refusal
    const status = upgradeStatus[code]
    const page = pageOf(code)
    if (status < 500) return refuseUpgrade(socket, { ...refusal, page })
    const requestId = requestIdOf(String(headers['traceparent']))
    tellFault({ requestId, code, status, route: '/ws', err: error })
    return refuseUpgrade(socket, { ...refusal, page, requestId })
  }

  const upgrade = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const admitted = await admit({ gate, accounts, follower }, request)
    if (isRefused(admitted))
      return turnAway(request, socket, { refusal: limitGuesses(deps.guesses, admitted, request) })
    if (isClosing) return turnAway(request, socket, { refusal: unavailable })
    if (socket.destroyed) return
    if (!held.enter(admitted.credential, socket))
      return turnAway(request, socket, { refusal: tooManyWebSockets(deps.webSocketsMax) })
    const { stream, actor } = admitted
    const watcher = createWatcher(counts)
    const feed = feedOf(stream)
    socket.once('close', () => leave(admitted.stream, feed, watcher))
    try {
      await feed.join(watcher) // its beginning is fixed before the 101
      await deps.trace.read({ action: 'read.watch', actor, target: targetOf(stream) })
    } catch (error) {
      return turnAway(request, socket, { refusal: unavailable, error })
    }
    server.handleUpgrade(request, socket, head, (webSocket) =>
      opened({ access: admitted, watcher, socket: webSocket, answered: true }, socket),
    )
  }

  const unsubscribe = follower.onChange((topic, key) => {
    if (topic !== controlTopic || key === undefined) return
    for (const client of clients) {
      const { billingId, name } = client.access.stream
      const mayEnd = [`stream/${billingId}/${name}`, `account/${billingId}`].includes(key)
      if (mayEnd || key.startsWith('signing/')) check(client)
    }
  })
  const checkAll = setInterval(() => {
    for (const client of clients) check(client)
  }, checkEveryMs)
  const pingAll = setInterval(() => {
    for (const client of clients) {
      if (!client.answered) client.socket.terminate()
      client.answered = false
      client.socket.ping()
    }
  }, pingEveryMs)

  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      upgrade(request, socket, head).catch((error: unknown) => {
        log.error({ err: error }, 'an upgrade failed')
        socket.destroy()
      })
    },
    async close() {
      isClosing = true
      unsubscribe()
      clearInterval(checkAll)
      clearInterval(pingAll)
      for (const client of clients) check(client)
      const open = [...feeds.values()]
      feeds.clear()
      await Promise.all(open.map((feed) => feed.close()))
    },
  }
}
