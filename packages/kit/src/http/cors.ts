// Which pages of other origins may ask a service (CORS): those that a setting names, and nobody else. No wildcard,
// and no cookies: whoever calls brings a bearer token, which a page has to have been given. An origin that isn't
// named is answered as if it had not said where it comes from; its browser then keeps the answer from it.
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
  /** For the answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>
  /** It was a preflight, and 204 with these headers is the whole answer. */
  readonly isPreflight: boolean
}

/** An answer may be kept for one origin and shown to another, unless it says that it depends on it. */
const stranger: CorsVerdict = { headers: { vary: 'Origin' }, isPreflight: false }

export type CorsOptions = {
  readonly origins: readonly string[]
  /** What their pages may send, beside what a token and a body need. */
  readonly requestHeaders: readonly string[]
}

/** Undefined for a request that no page made. */
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
