// The schema registry's REST interface (Confluent's, which Apicurio speaks too), as far as Weir needs it.
// No client library: the usual one parses schemas, hides their text, and changes compatibility settings.
// The registry may lay a schema out anew (order, spaces); it keeps attributes that Avro doesn't know.
import { AppError } from '@weir/kit'

export type RegistryErrorCode =
  | 'registry_unavailable'
  | 'not_found'
  | 'incompatible'
  | 'invalid_schema'

export type RegisteredSchema = { readonly id: number; readonly schemaText: string }

/** Each throws AppError with a RegistryErrorCode. */
export type Registry = {
  /** Idempotent. `schemaText` is the text given. */
  register(subject: string, schemaText: string): Promise<RegisteredSchema>
  /** The id under which the subject holds just this schema, whatever its layout; undefined if it doesn't. */
  find(subject: string, schemaText: string): Promise<number | undefined>
  bySubject(subject: string, version: number | 'latest'): Promise<RegisteredSchema>
  byId(id: number): Promise<RegisteredSchema>
}

type Answer = { readonly status: number; readonly body: unknown }
type Ask = (path: string, body?: object) => Promise<Answer>

const TIMEOUT_MS = 5_000
const ATTEMPTS = 2
const CONTENT_TYPE = 'application/vnd.schemaregistry.v1+json'

export function createRegistry(url: string): Registry {
  const ask = askAt(url)
  const inSubject = (subject: string) => `/subjects/${encodeURIComponent(subject)}`
  return {
    async register(subject, schemaText) {
      const { body } = succeed(
        await ask(`${inSubject(subject)}/versions`, { schema: schemaText }),
        `subject ${subject}`,
      )
      return { id: idIn(body), schemaText }
    },
    async find(subject, schemaText) {
      const answer = await ask(inSubject(subject), { schema: schemaText })
      if (answer.status === 404) return undefined
      return idIn(succeed(answer, `subject ${subject}`).body)
    },
    async bySubject(subject, version) {
      const { body } = succeed(
        await ask(`${inSubject(subject)}/versions/${version}`),
        `version ${version} of subject ${subject}`,
      )
      return { id: idIn(body), schemaText: textIn(body) }
    },
    async byId(id) {
      const { body } = succeed(await ask(`/schemas/ids/${id}`), `schema ${id}`)
      return { id, schemaText: textIn(body) }
    },
  }
}

/** User and password in the URL go into a header, where fetch wants them. */
function askAt(url: string): Ask {
  const base = new URL(url)
  const headers: Record<string, string> = { accept: CONTENT_TYPE }
  if (base.username !== '') {
    const account = `${decodeURIComponent(base.username)}:${decodeURIComponent(base.password)}`
    headers['authorization'] = `Basic ${Buffer.from(account).toString('base64')}`
    base.username = ''
    base.password = ''
  }
  const prefix = base.href.replace(/\/$/, '')
  return async (path, body) => {
    const init = body && {
      method: 'POST',
      headers: { ...headers, 'content-type': CONTENT_TYPE },
      body: JSON.stringify(body),
    }
    return askWithRetry(`${prefix}${path}`, init ?? { headers })
  }
}

// Every question may be asked twice; a kept connection that the registry has just closed fails once.
async function askWithRetry(address: string, init: RequestInit): Promise<Answer> {
  let cause: unknown
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    try {
      const response = await fetch(address, { ...init, signal: AbortSignal.timeout(TIMEOUT_MS) })
      if (response.status >= 500) cause = response.status
      else return { status: response.status, body: await response.json() }
    } catch (error) {
      cause = error
    }
  }
  throw new AppError('registry_unavailable', 'the schema registry does not answer', { cause })
}

function succeed(answer: Answer, what: string): Answer {
  const { status } = answer
  if (status === 200) return answer
  if (status === 404) throw fault('not_found', `the schema registry has no ${what}`)
  if (status === 409) throw fault('incompatible', `the schema is not compatible with ${what}`)
  if (status === 422) throw fault('invalid_schema', `the schema registry takes no such schema`)
  throw fault('registry_unavailable', `the schema registry answered ${status}`)
}

function fault(code: RegistryErrorCode, message: string): AppError<RegistryErrorCode> {
  return new AppError(code, message)
}

function idIn(body: unknown): number {
  if (isObject(body) && typeof body['id'] === 'number') return body['id']
  throw fault('registry_unavailable', 'the schema registry answered without an id')
}

function textIn(body: unknown): string {
  if (isObject(body) && typeof body['schema'] === 'string') return body['schema']
  throw fault('registry_unavailable', 'the schema registry answered without a schema')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
