// A broker with a listener for every access method of our settings. It has certificates and users for them, and a token
// endpoint whose tokens it accepts.
import { generateKeyPairSync, randomUUID, sign } from 'node:crypto'
import { createServer as createHttp } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort, makeAuthority, startStack } from '@weir/devstack'
import type { Authority } from '@weir/devstack'
import { loadConfig } from '@weir/kit'
import { z } from 'zod'

import { kafkaAccess } from '../src/connect/access/kafka-access.ts'
import type { KafkaAccess } from '../src/connect/access/kafka-access.ts'
import { kafkaFields, withKafkaRules } from '../src/connect/access/kafka-settings.ts'
import { addScramUser } from './support-scram-user.ts'

const listeners = [
  'PLAIN',
  'CONTROLLER',
  'TLS',
  'MUTUAL',
  'ELSEWHERE',
  'LOGIN',
  'TLSLOGIN',
] as const
type Listener = (typeof listeners)[number]

export const USER = 'weir-test'
export const PASSWORD = 'hunter2, with = and ,'
export const CLIENT_SECRET = 'client:secret%&'
/** The session length, after which a new login is required. */
export const SESSION_MS = 12_000

const SCHEMA = withKafkaRules(z.object(kafkaFields))
const ISSUER = 'https://tokens.test'
const OAUTH = 'org.apache.kafka.common.security.oauthbearer'

export type SecuredBroker = {
  readonly folder: string
  readonly authority: Authority
  readonly tokens: TokenEndpoint
  address(listener: Listener): string
  /** The access that a service would read from these variables. */
  access(listener: Listener, env?: Record<string, string>): KafkaAccess
  /** Writes a secret to a file; returns its path. */
  secret(text: string): Promise<string>
  stop(): Promise<void>
}

export async function startSecuredBroker(): Promise<SecuredBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'weir-secured-broker-'))
  const authority = await makeAuthority(folder, 'kafka')
  const tokens = await startTokens(authority)
  const ports = new Map<Listener, number>()
  for (const listener of listeners) ports.set(listener, await freePort())
  const portOf = (listener: Listener): number => ports.get(listener) ?? 0
  // The broker fetches keys only from the addresses in this Java property. Here only the environment can set it.
  process.env['JAVA_TOOL_OPTIONS'] =
    `-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls=${tokens.jwksUrl}`
  const stack = await startStack({
    folder: join(folder, 'stack'),
    ports: { kafka: portOf('PLAIN'), controller: portOf('CONTROLLER') },
    schemaRegistryUrl: 'http://127.0.0.1:9',
    brokerSettings: await brokerSettings(folder, authority, { portOf, jwksUrl: tokens.jwksUrl }),
  })
  const address = (listener: Listener) => `127.0.0.1:${portOf(listener)}`
  await addScramUser(portOf('PLAIN'), { name: USER, password: PASSWORD })
  return {
    folder,
    authority,
    tokens,
    address,
    access: (listener, env = {}) =>
      kafkaAccess(loadConfig(SCHEMA, { KAFKA_BROKERS: address(listener), ...env })),
    async secret(text) {
      const path = join(folder, `secret-${randomUUID()}`)
      await writeFile(path, `${text}\n`)
      return path
    },
    async stop() {
      await stack.stop()
      await tokens.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function brokerSettings(
  folder: string,
  authority: Authority,
  { portOf, jwksUrl }: { portOf(listener: Listener): number; jwksUrl: string },
): Promise<Record<string, string | number>> {
  const keyStore = async (name: string, names: string[]): Promise<string> => {
    const { cert, key } = await authority.issue(name, names)
    const path = join(folder, `${name}-keystore.pem`)
    await writeFile(path, (await readFile(key, 'utf8')) + (await readFile(cert, 'utf8')))
    return path
  }
  const here = await keyStore('broker', ['IP:127.0.0.1', 'DNS:localhost'])
  const elsewhere = await keyStore('elsewhere', ['DNS:elsewhere.example'])
  const tls = (listener: string, location: string) => ({
    [`listener.name.${listener}.ssl.keystore.type`]: 'PEM',
    [`listener.name.${listener}.ssl.keystore.location`]: location,
  })
  return {
    listeners: listeners.map((name) => `${name}://127.0.0.1:${portOf(name)}`).join(),
    'listener.security.protocol.map':
      'PLAIN:PLAINTEXT,CONTROLLER:PLAINTEXT,TLS:SSL,MUTUAL:SSL,ELSEWHERE:SSL,LOGIN:SASL_PLAINTEXT,TLSLOGIN:SASL_SSL',
    'super.users': `User:ANONYMOUS;User:${USER};User:CN=${USER}`,
    ...tls('tls', here),
    ...tls('mutual', here),
    ...tls('elsewhere', elsewhere),
    ...tls('tlslogin', here),
    'listener.name.mutual.ssl.client.auth': 'required',
    'listener.name.mutual.ssl.truststore.type': 'PEM',
    'listener.name.mutual.ssl.truststore.location': authority.ca,
    'connections.max.reauth.ms': SESSION_MS,
    ...loginSettings('login', jwksUrl),
    ...loginSettings('tlslogin', jwksUrl),
    'listener.name.login.sasl.enabled.mechanisms': 'SCRAM-SHA-512',
  }
}

function loginSettings(listener: string, jwksUrl: string): Record<string, string> {
  const own = (setting: string) => `listener.name.${listener}.${setting}`
  const security = 'org.apache.kafka.common.security'
  return {
    [own('sasl.enabled.mechanisms')]: 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512,OAUTHBEARER',
    [own('plain.sasl.jaas.config')]:
      `${security}.plain.PlainLoginModule required user_${USER}="${PASSWORD}";`,
    [own('scram-sha-256.sasl.jaas.config')]: `${security}.scram.ScramLoginModule required;`,
    [own('scram-sha-512.sasl.jaas.config')]: `${security}.scram.ScramLoginModule required;`,
    [own('oauthbearer.sasl.jaas.config')]: `${OAUTH}.OAuthBearerLoginModule required;`,
    [own('oauthbearer.sasl.server.callback.handler.class')]:
      `${OAUTH}.OAuthBearerValidatorCallbackHandler`,
    [own('sasl.oauthbearer.jwks.endpoint.url')]: jwksUrl,
    [own('sasl.oauthbearer.expected.issuer')]: ISSUER,
    [own('sasl.oauthbearer.expected.audience')]: 'kafka',
  }
}

export type TokenEndpoint = {
  readonly url: string
  readonly jwksUrl: string
  /** The issuer of tokens from now on. */
  issuer: string
  /** The number of issued tokens. */
  given(): number
  close(): Promise<void>
}

/**
 * Tokens are served over TLS. The keys that verify them are served without TLS, because the broker has a trust store of
 * its own.
 */
async function startTokens(authority: Authority): Promise<TokenEndpoint> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'RS256', use: 'sig' }
  let issuer = ISSUER
  let given = 0
  const part = (content: object) => Buffer.from(JSON.stringify(content)).toString('base64url')
  const makeToken = (scope: string): string => {
    const iat = Math.floor(Date.now() / 1_000)
    const claims = { iss: issuer, sub: USER, aud: 'kafka', iat, exp: iat + 300, scope }
    const text = `${part({ alg: 'RS256', kid: 'one' })}.${part(claims)}`
    return `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`
  }
  const onToken = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const form = new URLSearchParams(await bodyOf(req))
    const expected = `${USER}:${encodeURIComponent(CLIENT_SECRET)}`
    const isOurs =
      req.headers.authorization === `Basic ${Buffer.from(expected).toString('base64')}` &&
      form.get('grant_type') === 'client_credentials'
    if (!isOurs) return void res.writeHead(401).end('{"error":"invalid_client"}')
    given += 1
    const answer = { access_token: makeToken(form.get('scope') ?? ''), expires_in: 300 }
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  }
  const { cert, key } = await authority.issue('tokens', ['IP:127.0.0.1'])
  const tls = { cert: await readFile(cert), key: await readFile(key) }
  const tokenServer = createHttps(tls, (req, res) => void onToken(req, res))
  const keyServer = createHttp((_, res) => void res.end(JSON.stringify({ keys: [jwk] })))
  const [tokenPort, keyPort] = [await listen(tokenServer), await listen(keyServer)]
  return {
    url: `https://127.0.0.1:${tokenPort}/token`,
    jwksUrl: `http://127.0.0.1:${keyPort}/jwks`,
    set issuer(name: string) {
      issuer = name
    },
    get issuer() {
      return issuer
    },
    given: () => given,
    async close() {
      for (const server of [tokenServer, keyServer]) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

async function bodyOf(req: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of req) body += String(chunk)
  return body
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}
