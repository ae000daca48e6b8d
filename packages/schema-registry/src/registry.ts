// Implements the part of Confluent's schema registry API that Weir needs. Apicurio offers this API, too. Uses no client
// library, because the usual one parses schemas, hides their text, and changes compatibility settings. The registry may
// reformat a schema (order, spaces), but keeps attributes that Avro doesn't define.

import { codeIn, hintFor, httpCall } from '@weir/kit'
import type { HttpCall } from '@weir/kit'
import { basic } from './registry-access.ts'
import type { RegistryAccess } from './registry-access.ts'
import { RegistryError } from './errors.ts'

export type SchemaPlace = { readonly id: number; readonly version: number }
export type RegisteredSchema = SchemaPlace & { readonly schemaText: string }

/** Every method throws RegistryError. */
export type Registry = {
  /** Idempotent. The result's `schemaText` is the given text. */
  register(subject: string, schemaText: string): Promise<RegisteredSchema>
  /**
   * Resolves with id and version if the subject has exactly this schema, apart from its formatting; otherwise with
   * undefined.
   */
  find(subject: string, schemaText: string): Promise<SchemaPlace | undefined>
  bySubject(subject: string, version: number | 'latest'): Promise<RegisteredSchema>
  byId(id: number): Promise<{ readonly schemaText: string }>
}

type Answer = { readonly status: number; readonly body: unknown }
type Ask = (path: string, body?: object) => Promise<Answer>

const TIMEOUT_MS = 5_000
const ATTEMPTS = 2
const SETTINGS = {
  address: 'SCHEMA_REGISTRY_URL',
  ca: 'SCHEMA_REGISTRY_CA_FILE',
  noTls: 'begin SCHEMA_REGISTRY_URL with http://',
}
const WHERE_THE_LOGIN_IS =
  'it refuses the login; see SCHEMA_REGISTRY_USERNAME and SCHEMA_REGISTRY_PASSWORD_FILE, or SCHEMA_REGISTRY_TOKEN_FILE'
const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json'

export function createRegistry(url: string, access: RegistryAccess = {}): Registry {
  const ask = askAt(url, access)
  const inSubject = (subject: string) => `/subjects/${encodeURIComponent(subject)}`
  const find = async (subject: string, schemaText: string): Promise<SchemaPlace | undefined> => {
    const answer = await ask(inSubject(subject), { schema: schemaText })
    if (answer.status === 404) return undefined
    return placeIn(succeed(answer, `subject ${subject}`).body)
  }
  return {
    async register(subject, schemaText) {
      succeed(
        await ask(`${inSubject(subject)}/versions`, { schema: schemaText }),
        `subject ${subject}`,
      )
      // Older registries return only the id.
      const place = await find(subject, schemaText)
      if (place !== undefined) return { ...place, schemaText }
      throw new RegistryError(
        'registry.unavailable',
        'the schema registry lost what was just registered',
      )
    },
    find,
    async bySubject(subject, version) {
      const { body } = succeed(
        await ask(`${inSubject(subject)}/versions/${version}`),
        `version ${version} of subject ${subject}`,
      )
      return { ...placeIn(body), schemaText: textIn(body) }
    },
    async byId(id) {
      const { body } = succeed(await ask(`/schemas/ids/${id}`), `schema ${id}`)
      return { schemaText: textIn(body) }
    },
  }
}

/** If the access has no login, sends the user and password of the URL in a header. */
function askAt(url: string, { authorization, ca }: RegistryAccess): Ask {
  const base = new URL(url)
  const login = authorization ?? loginIn(base)
  const prefix = base.href.replace(/\/$/, '')
  return (path, body) => {
    const known = login?.()
    const headers = {
      accept: CONTENT_TYPE,
      ...(known === undefined ? {} : { authorization: known }),
      ...(body && { 'content-type': CONTENT_TYPE }),
    }
    return askWithRetry(new URL(`${prefix}${path}`), {
      method: body ? 'POST' : 'GET',
      headers,
      body: body && JSON.stringify(body),
      ca: ca?.(),
      timeoutMs: TIMEOUT_MS,
    })
  }
}

/** Moves the login from the URL to a header. Returns undefined if the URL has none. */
function loginIn(base: URL): (() => string) | undefined {
  if (base.username === '') return undefined
  const value = basic(decodeURIComponent(base.username), decodeURIComponent(base.password))
  base.username = ''
  base.password = ''
  return () => value
}

// Retries once, because a request fails if the registry has just closed its connection. All requests are idempotent.
async function askWithRetry(address: URL, call: HttpCall): Promise<Answer> {
  let cause: unknown
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      const { status, text } = await httpCall(address, call)
      if (status >= 500)
        cause = new RegistryError('registry.unavailable', `it answers with ${status}`)
      else return { status, body: isRefused(status) ? undefined : JSON.parse(text) }
    } catch (error) {
      cause = withHint(error)
    }
  }
  throw new RegistryError('registry.unavailable', 'the schema registry does not answer', { cause })
}

/** Adds a hint about what to correct, which only the log shows. */
function withHint(error: unknown): unknown {
  const hint = hintFor(codeIn(error), SETTINGS)
  return hint === undefined
    ? error
    : new RegistryError('registry.unavailable', hint, { cause: error })
}

const isRefused = (status: number): boolean => status === 401 || status === 403

function succeed(answer: Answer, what: string): Answer {
  const { status } = answer
  if (status === 200) return answer
  if (status === 404)
    throw new RegistryError('registry.not_found', `the schema registry has no ${what}`)
  if (status === 409)
    throw new RegistryError('registry.incompatible', `the schema is not compatible with ${what}`)
  if (status === 422)
    throw new RegistryError('registry.invalid_schema', `the schema registry takes no such schema`)
  const told = `the schema registry answered ${status}`
  if (!isRefused(status)) throw new RegistryError('registry.unavailable', told)
  const cause = new RegistryError('registry.unavailable', WHERE_THE_LOGIN_IS)
  throw new RegistryError('registry.unavailable', told, { cause })
}

function placeIn(body: unknown): SchemaPlace {
  const { id, version } = isObject(body) ? body : {}
  if (typeof id === 'number' && typeof version === 'number') return { id, version }
  throw new RegistryError(
    'registry.unavailable',
    'the schema registry answered without an id or a version',
  )
}

function textIn(body: unknown): string {
  if (isObject(body) && typeof body['schema'] === 'string') return body['schema']
  throw new RegistryError('registry.unavailable', 'the schema registry answered without a schema')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
