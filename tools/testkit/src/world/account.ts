// Creates an account for one test, with the calls that tests need: contracts, streams, tokens.
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setting } from './services.ts'

export type Reply = {
  status: number
  headers: Headers
  body: Record<string, unknown>
  text: string
}
export type Credentials = { clientId: string; clientSecret: string }
/** `topic` is the topic's name without the world's prefix. */
export type TestStream = Credentials & { name: string; topic: string }

export type AccountCalls = {
  /** Sends a request with the account's API key. */
  call(method: string, path: string, body?: unknown): Promise<Reply>
  /** Returns the same account, whose requests go to another replica of auth. */
  at(authUrl: string): Account
  /** Returns the stream that was created. Throws if the status isn't 201. */
  made(reply: Reply): TestStream
  token(stream: Credentials): Promise<string>
}

/** The objects that a test creates first. */
export type AccountScene = {
  /** Creates an example contract under a subject of this account, with some members added or replaced. */
  contract(id: ExampleContract, more?: object): Promise<void>
  contracts(): Promise<void>
  input(name: string, more?: object): Promise<TestStream>
  output(input: string, name: string, more: object): Promise<TestStream>
}

export type Account = AccountCalls & AccountScene & { billingId: string; apiKey: string }

export const exampleContracts = {
  clickstream: 'clickstream',
  demo_v1: 'demo_v1',
  nps_unified_v1: 'nps_unified_v1',
  partner_nps_unified_v1: 'partner_nps_unified_v1',
  demo_event: 'demo_event',
} as const
export type ExampleContract = keyof typeof exampleContracts

const examples = join(import.meta.dirname, '../../../../examples')
const json = async (path: string): Promise<Record<string, unknown>> =>
  asObject(JSON.parse(await readFile(path, 'utf8')))

/** Reads an example contract, in the form for `POST /v2/contracts`. */
export async function exampleContract(
  name: ExampleContract,
): Promise<Record<string, unknown> & { readonly schema: { readonly definition: unknown } }> {
  const contract = await json(join(examples, 'contracts', `${name}.json`))
  const { definition } = asObject(contract['schema'])
  return { ...contract, schema: { ...asObject(contract['schema']), definition } }
}
/** Reads an example event in Avro JSON, as producers send events. */
export const exampleEvent = (name: ExampleContract): Promise<Record<string, unknown>> =>
  json(join(examples, 'events', `${name}.json`))

/** Returns a unique name, because names become topics of one shared broker. */
export const freshName = (prefix: string): string => `${prefix}-${randomBytes(5).toString('hex')}`

export async function signUp(authUrl: string, billingId = freshName('t')): Promise<Account> {
  const made = await request(authUrl, setting('PLATFORM_KEY'), 'POST', '/v2/accounts', {
    billingId,
  })
  expectStatus(made, 201)
  return account(authUrl, billingId, textIn(made.body, 'apiKey'))
}

export function account(authUrl: string, billingId: string, apiKey: string): Account {
  const call: Account['call'] = (method, path, body) => request(authUrl, apiKey, method, path, body)
  const made = (reply: Reply): TestStream => {
    const { body: record } = expectStatus(reply, 201)
    const [credentials]: unknown[] = Array.isArray(record['credentials'])
      ? record['credentials']
      : []
    const issued = asObject(credentials)
    const name = textIn(asObject(record['ref']), 'name')
    return {
      name,
      topic: `${billingId}.${name}`,
      clientId: textIn(issued, 'clientId'),
      clientSecret: textIn(issued, 'clientSecret'),
    }
  }
  const created = async (path: string, body: object) => made(await call('POST', path, body))
  const contract = async (name: ExampleContract, more: object = {}): Promise<void> => {
    const body = { ...ownSubject(await exampleContract(name), billingId), ...more }
    expectStatus(await call('POST', '/v2/contracts', body), 201)
  }
  return {
    billingId,
    apiKey,
    call,
    at: (url) => account(url, billingId, apiKey),
    made,
    contract,
    async contracts() {
      for (const name of Object.values(exampleContracts)) await contract(name)
    },
    input: (name, more = {}) => created('/v2/streams', { name, ...more }),
    output: (input, name, more) =>
      created(`/v2/streams/${input}/outputs`, { consentLevelType: 'CUMULATIVE', name, ...more }),
    async token({ clientId, clientSecret }) {
      const reply = await call('POST', '/auth', { billingId, clientId, clientSecret })
      return textIn(expectStatus(reply, 200).body, 'idToken')
    },
  }
}

/** Gives the contract its own subject, because a registry subject belongs to one account. */
function ownSubject(contract: Record<string, unknown>, billingId: string): Record<string, unknown> {
  const schema = asObject(contract['schema'])
  const ref = textIn(schema, 'schema_registry_ref').replace(
    /^[^-]+/,
    billingId.replaceAll('-', '_'),
  )
  return { ...contract, schema: { ...schema, schema_registry_ref: ref } }
}

export async function request(
  baseUrl: string,
  key: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<Reply> {
  const response = await fetch(baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') === true
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson ? asObject(JSON.parse(text)) : {},
  }
}

export function expectStatus(reply: Reply, status: number): Reply {
  if (reply.status !== status)
    throw new Error(`expected ${status}, got ${reply.status}: ${reply.text}`)
  return reply
}

export function asObject(value: unknown): Record<string, unknown> {
  if (!isObject(value)) throw new Error(`expected an object, got ${JSON.stringify(value)}`)
  return value
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

export function textIn(object: Record<string, unknown>, name: string): string {
  const value = object[name]
  if (typeof value !== 'string') throw new Error(`expected a text under ${name}`)
  return value
}

export function listIn(object: Record<string, unknown>, name: string): unknown[] {
  const value = object[name]
  if (!Array.isArray(value)) throw new Error(`expected a list under ${name}`)
  return value
}

/** Returns when an erasure reached a state; undefined before that. */
export function reachedAt(erasure: Record<string, unknown>, state: string): string | undefined {
  const { states } = erasure
  const at = isObject(states) && isObject(states[state]) ? states[state]['at'] : undefined
  return typeof at === 'string' ? at : undefined
}
