// Creates a kafkajs client. Only this file loads kafkajs, so programs that only send don't load it. kafkajs logs
// nothing and does not retry here: the retries of session.ts can be ended, and depend on the error.
import { connect, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import type { ConnectionOptions } from 'node:tls'
import type { ISocketFactoryArgs, Kafka } from 'kafkajs'
import { ReadError } from '../errors.ts'
import { looksLike } from '../looks.ts'
import { addCodecs } from './codecs.ts'
import type { ConnectionSettings, TlsOptions } from './options.ts'

export type KafkaClient = {
  readonly kafka: Kafka
  /** Makes the next connection go to another broker of the list. */
  useNextBroker(): void
  /** Returns the error of `token`, if it failed. */
  tokenFailure(): { readonly error: unknown } | undefined
  lastToken(): string | undefined
  /** Ends all connections; open requests fail. */
  destroy(): void
}

const connectionTimeoutMs = 5_000
const keepAliveMs = 60_000

export async function createKafkaClient(settings: ConnectionSettings): Promise<KafkaClient> {
  const { brokers, tls = false, clientId = 'weir-client', token } = settings
  const { default: kafkajs } = await import('kafkajs')
  addCodecs(kafkajs)
  const sockets = createSockets()
  let first = 0
  let failure: { readonly error: unknown } | undefined
  let last: string | undefined
  const login = async (ask: () => Promise<string>): Promise<{ value: string }> => {
    try {
      last = checkedIdToken(await ask())
      return { value: last }
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  const kafka = new kafkajs.Kafka({
    brokers: () => [...brokers.slice(first), ...brokers.slice(0, first)],
    clientId,
    ssl: typeof tls === 'object' ? nodeTls(tls) : tls,
    ...(token && { sasl: { mechanism: 'oauthbearer', oauthBearerProvider: () => login(token) } }),
    connectionTimeout: connectionTimeoutMs,
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.NOTHING,
    logCreator: () => () => undefined,
    socketFactory: sockets.open,
  })
  return {
    kafka,
    useNextBroker: () => (first = (first + 1) % brokers.length),
    tokenFailure: () => failure,
    lastToken: () => last,
    destroy: sockets.destroy,
  }
}

/** Refuses refresh tokens, and texts that are no JWTs, because Kafka would close the connection without a reason. */
function checkedIdToken(token: string): string {
  const looks = looksLike(token)
  if (looks === 'an id token' || looks === 'a JWT') return token
  const instead = looks === undefined ? 'is not a JWT' : `looks like ${looks}`
  const message = `openTopic: token must return an id token, such as createTokenSource does; this ${instead}`
  throw new ReadError('refused', message)
}

/** Node accepts any Uint8Array, but its types declare only Buffer. */
function nodeTls({ ca, cert, key, ...others }: TlsOptions): ConnectionOptions {
  const buffer = (pem: TlsOptions['ca']) => (typeof pem === 'object' ? Buffer.from(pem) : pem)
  return { ...others, ca: buffer(ca), cert: buffer(cert), key: buffer(key) }
}

type Sockets = { open(args: ISocketFactoryArgs): Socket; destroy(): void }

/** Opens sockets like kafkajs's own, but `destroy` can end them. */
function createSockets(): Sockets {
  const sockets = new Set<Socket>()
  let isEnded = false
  // kafkajs listens for `error` and `end`, but not for `close`.
  const end = (socket: Socket): void => void socket.destroy(new Error('closed'))
  return {
    open({ host, port, ssl, onConnect }) {
      const servername = isIP(host) === 0 ? { servername: host } : {}
      const socket = ssl
        ? connectTls({ host, port, ...servername, ...ssl }, onConnect)
        : connect({ host, port }, onConnect)
      socket.setKeepAlive(true, keepAliveMs)
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      if (isEnded) end(socket)
      return socket
    },
    destroy() {
      isEnded = true
      for (const socket of sockets) end(socket)
    },
  }
}
