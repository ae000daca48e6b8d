// Calls of Weir's services with the account's API key. A refusal becomes a Refused with the service's sentences. The
// key is only in memory, never in a URL.
import { listOf, objectOf, parseObject, textOf } from './json.ts'
import type { Json } from './json.ts'

/** The addresses of auth and ingest. Output sends them to the page. */
export type Where = { readonly authUrl: string; readonly ingestUrl: string }

export class Refused extends Error {
  readonly status: number
  /** One sentence for each problem. */
  readonly problems: readonly string[]
  /** The address of the page about the error. */
  readonly help: string | undefined
  readonly code: string
  constructor(
    status: number,
    problems: readonly string[],
    { help, code = '' }: { help?: string | undefined; code?: string } = {},
  ) {
    super(problems.join('; '))
    this.status = status
    this.problems = problems
    this.help = help
    this.code = code
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Call = (method: Method, path: string, body?: unknown) => Promise<unknown>

export type Calls = {
  readonly where: Where
  /** Calls the management API of auth. */
  readonly auth: Call
  /** Calls output, for lag and previews. */
  readonly output: Call
  /** Downloads a file from output, with a token from auth. */
  download(path: string, token: string, bytesMax?: number): Promise<Blob>
  /** Opens a WebSocket that watches one of the account's streams. */
  watch(path: string): WebSocket
}

const timeoutMs = 60_000

export async function findServices(): Promise<Where> {
  const where = objectOf(await call('', '')('GET', 'where.json'))
  return { authUrl: textOf(where['authUrl']), ingestUrl: textOf(where['ingestUrl']) }
}

export function createCalls(where: Where, apiKey: string): Calls {
  return {
    where,
    auth: call(where.authUrl, apiKey),
    output: call(location.origin, apiKey),
    download: (path, ...more) => download(location.origin + path, ...more),
    watch: (path) =>
      new WebSocket(location.origin.replace(/^http/, 'ws') + path, ['weir', `bearer.${apiKey}`]),
  }
}

async function download(url: string, token: string, bytesMax = Infinity): Promise<Blob> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await fetch(url, { headers, credentials: 'omit', cache: 'no-store' })
  if (response.ok) return blobOf(response, bytesMax)
  const text = await response.text()
  throw refusedOf(response.status, parseObject(text), text)
}

/** Rejects if the connection breaks, and beyond `bytesMax`. */
async function blobOf(response: Response, bytesMax: number): Promise<Blob> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true }
    if (done || value === undefined) return new Blob(chunks)
    length += value.length
    if (length > bytesMax) {
      await reader?.cancel()
      throw new Refused(413, [`The file is larger than ${bytesMax} bytes`])
    }
    chunks.push(value)
  }
}

function call(baseUrl: string, apiKey: string): Call {
  const ask: Call = async (method, path, body) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      credentials: 'omit',
      cache: 'no-store',
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((): never => {
      throw new Refused(0, [`${baseUrl || 'Output'} does not answer`])
    })
    const text = await response.text()
    if (!response.ok) throw refusedOf(response.status, parseObject(text), text)
    const answer: unknown = text === '' ? undefined : JSON.parse(text)
    const next = nextIn(response.headers.get('link'))
    if (next === undefined || !Array.isArray(answer)) return answer
    const rest = await ask(method, path.replace(/\?.*$/, '') + next)
    return [...answer, ...listOf(rest)]
  }
  return ask
}

/** Returns the query for the next page of a list; undefined on the last page. */
const nextIn = (link: string | null): string | undefined =>
  /<(\?[^<>\s]+)>; *rel="next"/.exec(link ?? '')?.[1]

/** Reads a problem document, or auth's plain {code, message}. */
function refusedOf(status: number, problem: Json | undefined, text: string): Refused {
  if (problem === undefined) return new Refused(status, [text || `Status ${status}`])
  const problems = listOf(problem['problems']).filter((each) => typeof each === 'string')
  const message = textOf(problem['detail']) || textOf(problem['message']) || `Status ${status}`
  const more = { help: pageIn(problem), code: textOf(problem['code']) }
  return new Refused(status, problems.length > 0 ? problems : [message], more)
}

function pageIn(problem: Json): string | undefined {
  const type = textOf(problem['type'])
  return /^https?:/.test(type) ? type : undefined
}

export const sentencesOf = (error: unknown): readonly string[] =>
  error instanceof Refused
    ? error.problems
    : [error instanceof Error ? error.message : 'The request failed']
