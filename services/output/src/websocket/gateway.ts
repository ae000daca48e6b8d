// The WebSocket gateway, for development (spec Receive events over websocket). Upgrades the connections of clients that
// may watch a stream, and closes a connection within a second after the client may no longer watch.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { createFaultLog, requestIdOf } from '@weir/kit'
import type { Guesses, Log, PageOf } from '@weir/kit'
import type { AccessTrace, Accounts, Gate, StateFollower, StreamRecord } from '@weir/control-state'
import { WebSocketServer } from 'ws'
import { admit, isRefused, admissionUnavailable } from './admit.ts'
import type { Watching } from './admit.ts'
import { targetOf } from '../access/audit-target.ts'
import type { Feed } from './feed.ts'
import { createHeld, tooManyWebSockets } from './held-sockets.ts'
import { limitGuesses, refuseUpgrade, upgradeStatus } from './refuse-upgrade.ts'
import type { UpgradeRefusal } from './refuse-upgrade.ts'
import { watchClients } from './watch-clients.ts'
import { createWatcher } from './watcher.ts'
import type { Watcher } from './watcher.ts'

const messageBytesMax = 4_096 // clients need to send nothing

export type GatewayDeps = {
  gate: Gate
  accounts: Accounts
  trace: Pick<AccessTrace, 'read' | 'refused'>
  follower: Pick<StateFollower, 'tables' | 'isFresh' | 'onChange' | 'refresh'>
  /** Creates the feed of a stream's topic, for its first client. */
  feed: (stream: StreamRecord) => Feed
  counts: { clients(delta: 1 | -1): void; sent(messages: number): void; tooSlow(): void }
  guesses: Guesses
  /** The maximum number of open WebSockets per credential. */
  webSocketsMax: number
  log: Log
  /** Returns the URL of an error code's page. */
  pageOf: PageOf
}

export type Gateway = {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  close(): Promise<void>
}

export function createGateway(deps: GatewayDeps): Gateway {
  const feeds = createFeeds(deps)
  const clients = watchClients(deps)
  const upgrade = createUpgrade(deps, feeds, clients)
  return {
    upgrade(request, socket, head) {
      socket.on('error', () => socket.destroy())
      upgrade(request, socket, head).catch((error: unknown) => {
        deps.log.error({ err: error }, 'an upgrade failed')
        socket.destroy()
      })
    },
    async close() {
      clients.close()
      await feeds.close()
    },
  }
}

type Feeds = ReturnType<typeof createFeeds>
type Clients = ReturnType<typeof watchClients>

/** Upgrades a request to a WebSocket, or refuses the request. */
function createUpgrade(deps: GatewayDeps, feeds: Feeds, clients: Clients) {
  const held = createHeld(deps.webSocketsMax)
  const turnAway = createTurnAway(deps)
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: messageBytesMax,
    perMessageDeflate: false,
    handleProtocols: (protocols) => (protocols.has('weir') ? 'weir' : false),
  })
  return async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    let watching: Watching | undefined
    const refuse = (refusal: UpgradeRefusal, error?: unknown): void => {
      tellRefused(deps, watching, refusal)
      turnAway(request, socket, { refusal, error })
    }
    const admitted = await admit(deps, request, (known) => (watching = known))
    if (isRefused(admitted)) return refuse(limitGuesses(deps.guesses, admitted, request))
    if (clients.isClosing()) return refuse(admissionUnavailable)
    if (socket.destroyed) return
    if (!held.enter(admitted.credential, socket))
      return refuse(tooManyWebSockets(deps.webSocketsMax))
    const { stream, actor } = admitted
    const watcher = createWatcher(deps.counts)
    const feed = feeds.of(stream)
    socket.once('close', () => feeds.leave(stream, feed, watcher))
    try {
      await feed.join(watcher) // the start is fixed before the 101
      await deps.trace.read({ action: 'read.watch', actor, target: targetOf(stream) })
    } catch (error) {
      return refuse(admissionUnavailable, error)
    }
    server.handleUpgrade(request, socket, head, (webSocket) =>
      clients.enter({ access: admitted, watcher, socket: webSocket, answered: true }, socket),
    )
  }
}

/** Records a known caller's refusal in the audit log, unless the service itself has failed. */
function tellRefused(
  { trace }: Pick<GatewayDeps, 'trace'>,
  watching: Watching | undefined,
  { code }: UpgradeRefusal,
): void {
  if (watching === undefined || upgradeStatus[code] >= 500) return
  trace.refused({ action: 'read.watch', ...watching, refused: code })
}

type Turned = { readonly refusal: UpgradeRefusal; readonly error?: unknown }

function createTurnAway({ log, pageOf }: Pick<GatewayDeps, 'log' | 'pageOf'>) {
  const tellFault = createFaultLog(log)
  return ({ headers }: IncomingMessage, socket: Duplex, { refusal, error }: Turned): void => {
    const { code } = refusal
    const status = upgradeStatus[code]
    const page = pageOf(code)
    if (status < 500) return refuseUpgrade(socket, { ...refusal, page })
    const requestId = requestIdOf(String(headers['traceparent']))
    tellFault({ requestId, code, status, route: '/ws', err: error })
    return refuseUpgrade(socket, { ...refusal, page, requestId })
  }
}

/** Keeps one feed for each stream while a client watches the stream. */
function createFeeds(deps: Pick<GatewayDeps, 'feed' | 'log'>) {
  const feeds = new Map<string, Feed>()
  return {
    of(stream: StreamRecord): Feed {
      const feed = feeds.get(stream.streamId) ?? deps.feed(stream)
      feeds.set(stream.streamId, feed)
      return feed
    },
    leave(stream: StreamRecord, feed: Feed, watcher: Watcher): void {
      if (!feed.leave(watcher) || feeds.get(stream.streamId) !== feed) return
      feeds.delete(stream.streamId)
      feed
        .close()
        .catch((error: unknown) => deps.log.warn({ err: error }, 'a feed did not close cleanly'))
    },
    async close(): Promise<void> {
      const open = [...feeds.values()]
      feeds.clear()
      await Promise.all(open.map((feed) => feed.close()))
    },
  }
}
