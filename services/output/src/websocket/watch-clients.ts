// Checks whether the connected clients may still watch: when control state changes, and once a second.
import type { Duplex } from 'node:stream'
import { controlTopic } from '@weir/control-state'
import type { StateFollower } from '@weir/control-state'
import type { WebSocket } from 'ws'
import type { Admitted } from './admit.ts'
import { closing } from './watcher.ts'
import type { Closing, Watcher } from './watcher.ts'

const pingEveryMs = 20_000
const checkEveryMs = 1_000

export type WatchClient = {
  readonly access: Admitted
  readonly watcher: Watcher
  readonly socket: WebSocket
  /** Whether the client has answered the last ping. */
  answered: boolean
}

type Watching = {
  readonly follower: Pick<StateFollower, 'tables' | 'isFresh' | 'onChange'>
  readonly counts: { clients(delta: 1 | -1): void }
}

export function watchClients({ follower, counts }: Watching) {
  const clients = new Set<WatchClient>()
  let isClosing = false

  const check = ({ access, watcher }: WatchClient): void => {
    const why = isClosing ? closing.restart : reasonToEnd(follower, access)
    if (why !== undefined) watcher.end(why)
  }
  const checkAll = (): void => {
    for (const client of clients) check(client)
  }
  const unsubscribe = follower.onChange((topic, key) => {
    if (topic !== controlTopic || key === undefined) return
    for (const client of clients) if (isAbout(key, client.access)) check(client)
  })
  const checking = setInterval(checkAll, checkEveryMs)
  const pinging = setInterval(() => clients.forEach(ping), pingEveryMs)

  return {
    isClosing: () => isClosing,
    enter(client: WatchClient, connection: Duplex): void {
      const { socket, watcher } = client
      clients.add(client)
      counts.clients(1)
      socket.on('pong', () => (client.answered = true))
      socket.on('error', () => {}) // the close event follows, and is enough
      socket.on('close', () => {
        clients.delete(client)
        counts.clients(-1)
      })
      check(client) // before anything is sent, because the right may have ended during the upgrade
      watcher.attach(socket, connection)
    },
    /** Ends all clients, including those that enter later. */
    close(): void {
      isClosing = true
      unsubscribe()
      clearInterval(checking)
      clearInterval(pinging)
      checkAll()
    },
  }
}

/** Returns why the client's connection must end, or undefined if the client may stay. */
function reasonToEnd(
  { tables, isFresh }: Pick<StateFollower, 'tables' | 'isFresh'>,
  access: Admitted,
): Closing | undefined {
  if (!isFresh()) return closing.unsure
  const stream = tables.streamById(access.stream.streamId)
  if (stream?.state !== 'ready') return closing.gone
  if (!access.mayStay()) return closing.tokenDead
  return stream.enabled ? undefined : closing.disabled
}

/** Returns whether a change of this record may end the client's connection. */
const isAbout = (key: string, { stream: { billingId, name } }: Admitted): boolean =>
  key === `stream/${billingId}/${name}` ||
  key === `account/${billingId}` ||
  key.startsWith('signing/')

function ping(client: WatchClient): void {
  if (!client.answered) client.socket.terminate()
  client.answered = false
  client.socket.ping()
}
