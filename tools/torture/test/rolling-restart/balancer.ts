// A TCP balancer in front of a service's replicas, like a Kubernetes Service. New connections go in turn to replicas
// that have not been removed and whose `/health/ready` returns 200. An open connection stays with its replica.
import { connect, createServer, type Socket } from 'node:net'
import type { Service } from '@weir/devstack'
import { pollUntil } from '@weir/kit'

export type Balancer = {
  readonly url: string
  /** Resolves when the balancer sends connections to the replica. */
  add(replica: Service): Promise<void>
  /** The replica gets no new connections from now on. */
  remove(replica: Service): void
  /** The number of connections that found no ready replica. */
  unserved(): number
  close(): Promise<void>
}

type Endpoint = { readonly replica: Service; isReady: boolean }

const LOOPBACK = '127.0.0.1'
const PROBE_EVERY_MS = 200

export async function startBalancer(): Promise<Balancer> {
  const endpoints = new Map<Service, Endpoint>()
  const sockets = new Set<Socket>()
  let turn = 0
  let unserved = 0

  const accept = (client: Socket): void => {
    const ready = [...endpoints.values()].filter(({ isReady }) => isReady)
    const next = ready[turn++ % Math.max(1, ready.length)]
    if (next === undefined) {
      unserved += 1
      client.resetAndDestroy()
      return
    }
    const target = connect({ host: LOOPBACK, port: Number(new URL(next.replica.url).port) })
    join(client, target)
    for (const socket of [client, target]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
    }
  }
  const server = createServer({ allowHalfOpen: true }, accept)
  await new Promise<void>((resolve) => server.listen({ host: LOOPBACK, port: 0 }, resolve))
  const probing = setInterval(
    () => void Promise.all([...endpoints.values()].map(probe)),
    PROBE_EVERY_MS,
  )
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')

  return {
    url: `http://${LOOPBACK}:${address.port}`,
    async add(replica) {
      const endpoint = { replica, isReady: false }
      endpoints.set(replica, endpoint)
      await pollUntil(() => endpoint.isReady, { deadlineMs: 60_000, what: 'a ready replica' })
    },
    remove: (replica) => void endpoints.delete(replica),
    unserved: () => unserved,
    async close() {
      clearInterval(probing)
      const closed = new Promise<void>((done) => server.close(() => done()))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

async function probe(endpoint: Endpoint): Promise<void> {
  try {
    const signal = AbortSignal.timeout(5_000)
    const answer = await fetch(`${endpoint.replica.adminUrl}/health/ready`, { signal })
    await answer.arrayBuffer()
    endpoint.isReady = answer.ok
  } catch {
    endpoint.isReady = false
  }
}

/** Forwards bytes in both directions, and also each direction's end and resets. */
function join(client: Socket, target: Socket): void {
  for (const [from, to] of [
    [client, target],
    [target, client],
  ] as const) {
    from.setNoDelay(true)
    from.pipe(to)
    from.on('error', () => to.resetAndDestroy())
    from.on('close', () => to.destroySoon())
  }
}
