// Shared support for tests against a running auth: replicas as separate processes, accounts, and requests.
import { randomInt, randomUUID } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from '@jest/globals'
import { kekFilesIn, startService } from '@weir/devstack'
import type { Service } from '@weir/devstack'
import { freshPrefix, joinWorld } from '@weir/testkit'

export const kafkaBrokers = process.env['KAFKA_BROKERS'] ?? '127.0.0.1:19092'
export const registryUrl =
  process.env['SCHEMA_REGISTRY_URL'] ?? 'http://127.0.0.1:18085/apis/ccompat/v7'

export const platformKey = process.env['PLATFORM_KEY'] ?? 'platform-key-of-the-tests-of-auth'
// Replicas that share a broker must share their KEKs.
const kekFolder = process.env['KEK_FOLDER']
const kekFile = kekFolder === undefined ? newKekFile() : kekFilesIn(kekFolder).auth

function newKekFile(): string {
  const file = join(mkdtempSync(join(tmpdir(), 'weir-auth-test-')), 'kek')
  const lines = ['sign', 'link', 'open', 'levels'].map((kek) => `${kek} 1 ${'5a'.repeat(32)}\n`)
  writeFileSync(file, lines.join(''), { mode: 0o600 })
  return file
}

/** The environment of every replica that a test file starts, with the file's own topic prefix. */
export const startAuthEnv = {
  AUTH_PORT: '0',
  AUTH_ADMIN_PORT: '0',
  KAFKA_BROKERS: kafkaBrokers,
  KAFKA_PREFIX: freshPrefix('auth'),
  SCHEMA_REGISTRY_URL: registryUrl,
  KEK_FILE: kekFile,
  AUTH_PUBLIC_URL: 'http://auth.test',
  PLATFORM_KEY: platformKey,
}

export const startAuth = (env: Record<string, string> = {}): Promise<Service> =>
  startService({ name: 'auth', env: { ...startAuthEnv, ...env } })

export type SharedAuth = Pick<Service, 'url' | 'adminUrl'> & {
  /** Starts another replica with the same environment. */
  replica(): Promise<Service>
  /** Stops the replicas that this test started. */
  stop(): Promise<void>
}

/**
 * Uses the auth that the test run shares, for tests that don't configure or stop it, and don't read its metrics or log.
 */
export async function joinAuth(): Promise<SharedAuth> {
  const { auth, replica, stop } = await joinWorld()
  return { ...auth, replica: () => replica('auth'), stop }
}

/** The shared auth counts wrong guesses by address, so each test file uses its own address. */
const from = `10.${[0, 0, 0].map(() => randomInt(256)).join('.')}`

export type Json = Record<string, unknown>

export type Reply = {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body; empty if it is not a JSON object. */
  readonly json: Json
  readonly list: readonly Json[]
}

/** Returns the query for the next page of a list; undefined on the last page. */
export const nextIn = ({ headers }: Reply): string | undefined =>
  /^<\?(.+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1]

export type RequestOptions = {
  readonly method?: string
  readonly bearer?: string
  readonly json?: unknown
  readonly body?: string | Buffer
  readonly headers?: Record<string, string>
  readonly patienceMs?: number
}

export async function send(url: string, options: RequestOptions = {}): Promise<Reply> {
  const { method = 'GET', bearer, json } = options
  const body = json === undefined ? options.body : JSON.stringify(json)
  const response = await fetch(url, {
    method,
    headers: {
      'x-forwarded-for': from,
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    signal: AbortSignal.timeout(options.patienceMs ?? 30_000),
    ...(body === undefined ? {} : { body }),
  })
  const text = await response.text()
  const parsed = tryParse(text)
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: isJson(parsed) ? parsed : {},
    list: Array.isArray(parsed) ? parsed.filter(isJson) : [],
  }
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

// --- an account and its requests ---

export const uniqueName = (what: string): string => `${what}-${randomUUID().slice(0, 13)}`

export type Account = {
  readonly billingId: string
  readonly apiKey: string
  get(path: string): Promise<Reply>
  post(path: string, json?: unknown): Promise<Reply>
  put(path: string, json: unknown): Promise<Reply>
  patch(path: string, json: unknown): Promise<Reply>
  delete(path: string): Promise<Reply>
  /** The same account, with requests to another replica. */
  at(service: Pick<Service, 'url'>): Account
}

export async function makeAccount(service: Pick<Service, 'url'>): Promise<Account> {
  const billingId = uniqueName('acc')
  const reply = await asPlatform(service, '/v2/accounts', { billingId })
  if (reply.status !== 201) throw new Error(`no account: ${reply.status} ${reply.text}`)
  return accountAt(service, billingId, textOf(reply.json, 'apiKey'))
}

export const asPlatform = (
  { url }: Pick<Service, 'url'>,
  path: string,
  json?: unknown,
): Promise<Reply> =>
  send(`${url}${path}`, {
    method: 'POST',
    bearer: platformKey,
    ...(json === undefined ? {} : { json }),
  })

function accountAt({ url }: Pick<Service, 'url'>, billingId: string, apiKey: string): Account {
  const ask = (path: string, options: RequestOptions): Promise<Reply> =>
    send(`${url}${path}`, { bearer: apiKey, ...options })
  return {
    billingId,
    apiKey,
    get: (path) => ask(path, {}),
    post: (path, json) => ask(path, { method: 'POST', ...(json === undefined ? {} : { json }) }),
    put: (path, json) => ask(path, { method: 'PUT', json }),
    patch: (path, json) => ask(path, { method: 'PATCH', json }),
    delete: (path) => ask(path, { method: 'DELETE' }),
    at: (service) => accountAt(service, billingId, apiKey),
  }
}

// --- helpers for responses ---

export function textOf(json: unknown, member: string): string {
  const value = isJson(json) ? json[member] : undefined
  if (typeof value !== 'string') throw new Error(`there is no text ${member}`)
  return value
}

export type Secrets = { readonly clientId: string; readonly clientSecret: string }

/** Returns the credentials in a response: a member of it, as object or list, or the whole response. */
export function secretsOf({ json }: Reply): Secrets {
  const held = json['credentials'] ?? json
  const credentials: unknown = Array.isArray(held) ? held[0] : held
  return {
    clientId: textOf(credentials, 'clientId'),
    clientSecret: textOf(credentials, 'clientSecret'),
  }
}

export const problemsOf = ({ json }: Reply): readonly string[] =>
  Array.isArray(json['problems']) ? json['problems'].map(String) : []

/** An RFC 9457 problem document, the form of all management refusals. */
export const problem = (status: number, code: string): Json => ({
  status,
  code,
  title: expect.any(String),
  detail: expect.any(String),
  type: `http://auth.test/docs/errors/${code}`,
})
