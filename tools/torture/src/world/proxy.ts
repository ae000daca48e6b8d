// A proxy in front of a broker. It can reset, refuse, delay and silence connections, as the network does, and lose or
// change single responses. When the fault ends, it resets connections that have lost bytes, because TCP loses no byte.
import { connect, createServer, type Server, type Socket } from 'node:net'

import { followResponses } from './kafka-responses.ts'
import type { RequestKind, Responses, Tampering } from './kafka-responses.ts'

/**
 * delay: bytes arrive `ms` later, in both directions. hole: nothing arrives, not even the end of the connection. mute:
 * clients' bytes arrive, but the responses don't. hold: clients' bytes arrive when the fault ends, even if the client
 * has gone by then.
 */
export type ProxyMode =
  | { readonly kind: 'open' | 'refuse' | 'hole' | 'mute' | 'hold' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'tamper'; readonly tampering: Tampering }

export type Proxy = {
  readonly port: number
  /** The number of responses that were lost or changed on purpose, by kind of request. */
  tampered(): ReadonlyMap<RequestKind, number>
  /** Resets all connections. The mode determines what happens to new ones. */
  cut(): void
  setMode(mode: ProxyMode): void
  close(): Promise<void>
}

type Link = {
  end(): void
  hasLost(): boolean
  /** Delivers the held bytes. */
  release(): void
  gone: Promise<unknown>
}
type Direction = 'asked' | 'answered'

const LOOPBACK = '127.0.0.1'
/** The time for the target to read the held bytes. */
const LEFT_MS = 10_000

export async function startProxy(targetPort: number): Promise<Proxy> {
  const links = new Set<Link>()
  const tampered = new Map<RequestKind, number>()
  const onTampered = (kind: RequestKind) => void tampered.set(kind, (tampered.get(kind) ?? 0) + 1)
  let mode: ProxyMode = { kind: 'open' }

  const accept = (client: Socket): void => {
    if (mode.kind === 'refuse') {
      client.resetAndDestroy()
      return
    }
    const link = join(client, targetPort, () => mode, followResponses(onTampered))
    links.add(link)
    void link.gone.then(() => links.delete(link))
  }
  const server = createServer(accept)
  const port = await listen(server)
  const cut = (): void => {
    for (const link of links) link.end()
  }
  return {
    port,
    tampered: () => tampered,
    cut,
    setMode(next) {
      mode = next
      if (next.kind !== 'hold') for (const link of links) link.release()
      if (next.kind === 'refuse') cut()
      if (next.kind === 'open') for (const link of links) if (link.hasLost()) link.end()
    },
    close() {
      const closed = new Promise<void>((done) => server.close(() => done()))
      cut()
      return closed
    },
  }
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: LOOPBACK, port: 0 }, () => {
      const address = server.address()
      if (address === null || typeof address === 'string') reject(new Error('no port'))
      else resolve(address.port)
    })
  })
}

function join(
  client: Socket,
  targetPort: number,
  modeNow: () => ProxyMode,
  responses: Responses,
): Link {
  const target = connect({ host: LOOPBACK, port: targetPort, noDelay: true })
  client.setNoDelay(true)
  let hasLost = false
  let isLeft = false
  const end = (): void => {
    client.resetAndDestroy()
    target.resetAndDestroy()
  }
  /** In a hole, neither side learns that the other has gone, because both ends stay open until the fault ends. */
  const onGone = (): void => {
    if (modeNow().kind === 'hole') hasLost = true
    else if (!isLeft) end()
  }
  const onLeft = (): void => {
    isLeft ||= modeNow().kind === 'hold'
    onGone()
  }
  const lose = (): void => void (hasLost = true)
  const both = { modeNow, lose, end, responses }
  const asked = carry({ ...both, from: client, to: target, direction: 'asked' })
  carry({ ...both, from: target, to: client, direction: 'answered' })
  client.on('error', onLeft).on('end', onLeft)
  target.on('error', onGone).on('end', onGone)
  target.on('close', onGone)
  client.on('close', () => {
    if (modeNow().kind !== 'hole') onLeft()
  })
  const closed = (socket: Socket) => new Promise((done) => socket.once('close', done))
  const gone = Promise.all([client, target].map(closed))
  const release = (): void => {
    asked.release()
    if (isLeft) leave(client, target)
  }
  return { end, hasLost: () => hasLost, release, gone }
}

/** Closes the connection of a client that has gone, after the target got all the client's bytes. */
function leave(client: Socket, target: Socket): void {
  client.destroy()
  target.end()
  setTimeout(() => target.destroy(), LEFT_MS).unref()
}

type Carrying = {
  from: Socket
  to: Socket
  direction: Direction
  modeNow: () => ProxyMode
  responses: Responses
  lose(): void
  end(): void
}

function carry(carrying: Carrying): { release(): void } {
  const { from, to, direction, modeNow, responses, lose, end } = carrying
  const line = createLine(from, to)
  const pass = (mode: ProxyMode, chunk: Buffer): void => {
    if (mode.kind === 'hold' && direction === 'asked') line.send(chunk, Infinity)
    else line.send(chunk, mode.kind === 'delay' ? mode.ms : 0)
  }
  from.on('data', (chunk: Buffer) => {
    const mode = modeNow()
    if (mode.kind === 'hole' || (mode.kind === 'mute' && direction === 'answered')) return lose()
    if (direction === 'asked') {
      responses.asked(chunk)
      return pass(mode, chunk)
    }
    const whole = responses.answered(chunk, mode.kind === 'tamper' ? mode.tampering : undefined)
    if (whole === 'lost') return end()
    for (const response of whole) pass(mode, response)
  })
  return line
}

/** Forwards bytes in order: later bytes wait for delayed ones. */
function createLine(from: Socket, to: Socket) {
  const late: { chunk: Buffer; at: number }[] = []
  let timer: NodeJS.Timeout | undefined

  const write = (chunk: Buffer): void => {
    if (to.destroyed || to.write(chunk)) return
    from.pause()
    to.once('drain', () => from.resume())
  }
  const next = (): void => {
    clearTimeout(timer)
    timer = undefined
    const now = performance.now()
    for (; late[0] !== undefined && late[0].at <= now; late.shift()) write(late[0].chunk)
    if (late[0] === undefined || late[0].at === Infinity) return
    timer = setTimeout(next, Math.max(1, late[0].at - performance.now()))
  }
  from.once('close', () => clearTimeout(timer))
  return {
    /** Sends the chunk after `inMs`; if that is `Infinity`, when `release` is called. */
    send(chunk: Buffer, inMs: number): void {
      if (inMs === 0 && late.length === 0) return write(chunk)
      late.push({ chunk, at: performance.now() + inMs })
      if (inMs !== Infinity) timer ??= setTimeout(next, Math.max(1, inMs))
    },
    release(): void {
      for (const one of late) if (one.at === Infinity) one.at = 0
      next()
    },
  }
}
