// Sends one HTTP request to a Weir service, without retries. Explains errors in words: an unreachable service, or a
// refusal (RFC 9457 problem documents, auth's {code, message}, or ingest's line of text).
import { CliError, misuse } from '../errors.ts'
import { isObject, listAt, textAt, textsAt, tryParseJson, valueAt } from '../json.ts'
import { visible } from '../terminal/table.ts'

export type ApiRequest = {
  readonly method: string
  readonly url: URL
  readonly bearer?: string
  /** Sent as JSON. */
  readonly json?: unknown
  /** Bytes of JSON, sent unchanged. */
  readonly body?: Uint8Array<ArrayBuffer>
  readonly headers?: Readonly<Record<string, string>>
}

export type ApiAnswer = {
  readonly status: number
  readonly text: string
  readonly json: unknown
  /** From the header `Svc-Error`. */
  readonly code?: string | undefined
  readonly retryAfter: string | undefined
  /** The service's time. */
  readonly date: string | undefined
  /** The page about the refusal. */
  readonly help?: string | undefined
  /** The next page of a list. */
  readonly next?: URL | undefined
  readonly url: URL
}

/** What a user can do about a status, if the command knows better than the service. */
export type Advice = Readonly<Record<number, string>>

const answerTimeoutMs = 60_000

/** Returns a URL under a service's address, with each segment encoded. */
export function urlOf(
  address: string,
  segments: readonly string[],
  query: Readonly<Record<string, string>> = {},
): URL {
  const url = URL.parse(address)
  if (url === null || !['http:', 'https:', 'ws:', 'wss:'].includes(url.protocol)) {
    throw misuse(
      `'${address}' isn't the address of a service`,
      'Addresses start with http:// or https://, such as http://127.0.0.1:8081 for auth.',
    )
  }
  // In a URL, `.` and `..` change the path, and '' is no name.
  const name = segments.find((segment) => ['', '.', '..'].includes(segment))
  if (name !== undefined) throw misuse(`'${name}' isn't a name`)
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...segments.map(encodeURIComponent)].join('/')
  url.search = new URLSearchParams(query).toString()
  return url
}

/** Returns any response, including refusals. Throws if the service is unreachable. */
export async function requestApi({ method, url, ...rest }: ApiRequest): Promise<ApiAnswer> {
  const headers = {
    ...(rest.bearer === undefined ? {} : { authorization: `Bearer ${rest.bearer}` }),
    ...(rest.json === undefined && rest.body === undefined
      ? {}
      : { 'content-type': 'application/json' }),
    ...rest.headers,
  }
  const body = rest.json === undefined ? rest.body : JSON.stringify(rest.json)
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect: 'manual',
      signal: AbortSignal.timeout(answerTimeoutMs),
      ...(body === undefined ? {} : { body }),
    })
    const text = await response.text()
    const link = response.headers.get('link') ?? undefined
    return {
      status: response.status,
      text,
      json: tryParseJson(text),
      code: response.headers.get('svc-error') ?? undefined,
      retryAfter: response.headers.get('retry-after') ?? undefined,
      date: response.headers.get('date') ?? undefined,
      help: helpIn(link),
      next: nextIn(link, url),
      url,
    }
  } catch (error) {
    throw unreachable(url, error)
  }
}

/** Returns the JSON of a successful response, with all pages of a list. Throws a refusal in the service's words. */
export async function call(what: ApiRequest, advice: Advice = {}): Promise<unknown> {
  const answer = await requestApi(what)
  if (answer.status < 200 || answer.status > 299) throw apiRefusal(answer, advice)
  if (answer.next === undefined || !Array.isArray(answer.json)) return answer.json
  const rest = await call({ ...what, url: answer.next }, advice)
  return [...answer.json, ...(Array.isArray(rest) ? rest : [])]
}

/** The next page differs only in the query, so that the API key is sent nowhere else. */
function nextIn(link: string | undefined, url: URL): URL | undefined {
  const [, query] = /<(\?[^<>\s]+)>; *rel="next"/.exec(link ?? '') ?? []
  return query === undefined ? undefined : new URL(query, url)
}

/** Returns the page about a refusal from a Link header (RFC 8288). */
export function helpIn(link: string | undefined): string | undefined {
  const [, page = ''] = /<(https?:\/\/[^<>\s]+)>; *rel="help"/.exec(link ?? '') ?? []
  return page === '' ? undefined : visible(page)
}

export function apiRefusal(answer: ApiAnswer, advice: Advice = {}): CliError {
  const { headline, problems } = whatIsWrong(answer)
  const { status, help: page } = answer
  const todo = isTemporary(answer)
    ? undefined
    : (advice[isWrongKey(answer) ? 401 : status] ?? commonAdvice(answer))
  const lines = [
    ...[...problems, ...textsAt(answer.json, 'outputs')].map((text) => `- ${visible(text)}`),
    // A wrong key stays wrong.
    ...(answer.retryAfter && !isWrongKey(answer)
      ? [`Try again in ${visible(answer.retryAfter)} s.`]
      : []),
    ...(todo === undefined ? [] : [todo]),
  ]
  return new CliError(1, `${headline} (${status})`, { advice: lines, status, page })
}

/** Returns whether the user only has to wait. */
const isTemporary = ({ code }: ApiAnswer): boolean => code === 'being_deleted'

/**
 * If the sentence already contains several problems, the response's title is the headline, so that no problem is shown
 * twice.
 */
function whatIsWrong(answer: ApiAnswer): { headline: string; problems: readonly string[] } {
  const headline = sentenceOf(answer)
  const problems = textsAt(answer.json, 'problems')
  const title = textAt(answer.json, 'title')
  if (!problems.every((problem) => headline.includes(visible(problem))))
    return { headline, problems }
  if (problems.length < 2 || title === undefined) return { headline, problems: [] }
  return { headline: visible(title), problems }
}

/** Returns the service's message, in one line. */
export function sentenceOf(answer: Pick<ApiAnswer, 'text' | 'json' | 'status' | 'url'>): string {
  const said =
    textAt(answer.json, 'detail') ?? textAt(answer.json, 'message') ?? textAt(answer.json, 'title')
  if (said) return visible(said)
  const plain = answer.json === undefined ? answer.text.trim() : ''
  // A proxy's HTML page does not help here.
  if (plain !== '' && !plain.startsWith('<')) return visible(plain)
  return `${answer.url.origin} refused`
}

/** After too many wrong keys, the services return 429 for every wrong key. */
const isWrongKey = ({ status, code }: ApiAnswer): boolean =>
  status === 401 || code === 'too_many_failures'

function commonAdvice(answer: ApiAnswer): string | undefined {
  const { status, url, json } = answer
  if (status >= 300 && status <= 399) {
    return `The service redirects the request. Is ${url.origin} the right address?`
  }
  // auth sends a JSON object with every 404.
  if (status === 404 && !isObject(json)) return `Is ${url.origin} the right address?`
  if (isWrongKey(answer)) return '`weir account login` saves another API key.'
  if (status >= 500) return `See the log of the service at ${url.origin} for the reason.`
  return undefined
}

export function unreachable(url: URL, error: unknown): CliError {
  const code = codeOf(error)
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return noAnswer(`the host ${url.hostname} is unknown (${code})`, addressAdvice)
  }
  if (isObject(error) && error.name === 'TimeoutError') {
    return noAnswer(`${url.origin} did not respond within ${answerTimeoutMs / 1000} s`)
  }
  if (/CERT|SELF_SIGNED|LEAF_SIGNATURE/.test(code)) {
    return noAnswer(
      `the certificate of ${url.origin} isn't trusted (${code})`,
      'For a CA of your own, set NODE_EXTRA_CA_CERTS to a file with its certificate.',
    )
  }
  if (/^EPROTO$|^ERR_SSL_/.test(code)) {
    return noAnswer(
      `no TLS connection to ${url.origin} (${code})`,
      'Does it use TLS? If not, its address must start with http://.',
    )
  }
  if (/^(ECONNRESET|UND_ERR_SOCKET)$/.test(code) || isNoHttp(error)) {
    const isTls = url.protocol === 'https:'
    return noAnswer(
      `what listens at ${url.origin} does not answer with ${isTls ? 'HTTPS' : 'HTTP'} (${code || 'another protocol'})`,
      `Is the port right? ${isTls ? 'Without' : 'With'} TLS its address must start with ${isTls ? 'http' : 'https'}://.`,
      addressAdvice,
    )
  }
  const reason = code === 'ECONNREFUSED' ? 'nothing listens' : 'no connection'
  return noAnswer(
    `${reason} at ${url.origin} (${code || messageOf(error)})`,
    'Is it running? `npm start` in the repository starts Weir on this machine.',
    addressAdvice,
  )
}

const noAnswer = (message: string, ...advice: string[]): CliError =>
  new CliError(1, message, { advice })

const addressAdvice =
  'For other addresses set WEIR_AUTH_URL, WEIR_INGEST_URL, WEIR_OUTPUT_URL, or use `weir account login`.'

/** fetch hides the code in `cause`, and in the first of `errors` if it tried several addresses. */
function codeOf(error: unknown): string {
  const [first] = listAt(error, 'errors')
  if (first !== undefined) return codeOf(first)
  const cause = valueAt(error, 'cause')
  return textAt(error, 'code') ?? (cause === undefined ? '' : codeOf(cause))
}

/** Errors of undici's parser have no code. */
const isNoHttp = (error: unknown): boolean =>
  isObject(error) && (error.name === 'HTTPParserError' || isNoHttp(error.cause))

function messageOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (cause !== undefined) return messageOf(cause)
  return error instanceof Error ? visible(error.message) : 'unknown reason'
}
