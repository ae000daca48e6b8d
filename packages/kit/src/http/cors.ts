// Decides which pages of other origins may call a service (CORS): only those that a setting names. There are no
// wildcards and no cookies: a page sends a bearer token, which somebody must have given to it. A request of an unknown
// origin gets a response without CORS headers, and the browser blocks this response.
import { csv, withUnit } from '../config/config-fields.ts'

export const corsFields = {
  CONSOLE_ORIGINS: withUnit(
    csv()
      .refine(
        (items) => isNone(items) || items.every(isOrigin),
        'it must be origins such as https://weir.example.com, with commas between, or none',
      )
      .transform((items): readonly string[] => (isNone(items) ? [] : items)),
    'origin, … or none',
  )
    .default(['http://127.0.0.1:8083', 'http://localhost:8083'])
    .describe('the addresses under which browsers load the console from output'),
}

export type CorsRequest = {
  readonly method: string
  header(name: string): string | undefined
}

export type CorsVerdict = {
  /** The headers for every response. */
  readonly headers: Readonly<Record<string, string>>
  /** Whether the request is a preflight, whose complete response is 204 with these headers. */
  readonly isPreflight: boolean
}

/** For unknown origins. Without the header Vary, a cache might give one origin's response to another. */
const stranger: CorsVerdict = { headers: { vary: 'Origin' }, isPreflight: false }

export type CorsOptions = {
  readonly origins: readonly string[]
  /** Headers that the pages may send, in addition to those for a token and a body. */
  readonly requestHeaders: readonly string[]
}

/** Returns undefined for a request without an origin. */
export type Cors = (request: CorsRequest) => CorsVerdict | undefined

export function createCors({ origins, requestHeaders }: CorsOptions): Cors {
  const allowed = new Set(origins)
  const permitted = {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': ['authorization', 'content-type', ...requestHeaders].join(', '),
    'access-control-max-age': '600',
  }
  return (request) => {
    const origin = request.header('origin')
    if (origin === undefined) return undefined
    if (!allowed.has(origin)) return stranger
    const shared = { 'access-control-allow-origin': origin, vary: 'Origin' }
    const isPreflight =
      request.method === 'OPTIONS' && request.header('access-control-request-method') !== undefined
    return { headers: { ...shared, ...(isPreflight ? permitted : readable) }, isPreflight }
  }
}

const readable = { 'access-control-expose-headers': 'svc-error, svc-request-id, retry-after, link' }

const isNone = (items: readonly string[]): boolean => items.length === 1 && items[0] === 'none'

const isOrigin = (item: string): boolean =>
  /^https?:\/\//.test(item) && URL.canParse(item) && new URL(item).origin === item
