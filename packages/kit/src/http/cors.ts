// Which pages of other origins may call a service (CORS): only those that a setting names. No wildcard, and no cookies:
// a caller brings a bearer token, which a page must have been given. An unknown origin gets the same answer as a
// request without an origin; its browser then blocks the answer.
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
    .describe('the addresses of output from which browsers load the console'),
}

export type CorsRequest = {
  readonly method: string
  header(name: string): string | undefined
}

export type CorsVerdict = {
  /** For every answer. */
  readonly headers: Readonly<Record<string, string>>
  /** It was a preflight, which is answered completely by 204 with these headers. */
  readonly isPreflight: boolean
}

/** A cache might show one origin's answer to another, unless the answer says that it depends on the origin. */
const stranger: CorsVerdict = { headers: { vary: 'Origin' }, isPreflight: false }

export type CorsOptions = {
  readonly origins: readonly string[]
  /** Headers that their pages may send, besides those for a token and a body. */
  readonly requestHeaders: readonly string[]
}

/** Undefined for a request without an origin. */
export type Cors = (request: CorsRequest) => CorsVerdict | undefined

export function createCors({ origins, requestHeaders }: CorsOptions): Cors {
  const allowed = new Set(origins)
  const permitted = {
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
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
