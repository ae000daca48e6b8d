// Creates a request's head from its decoded fields, and checks it by the rules of RFC 9113 8. Requests with the same
// header block can share a head.
import type { Field } from '../../hpack/field.ts'

export type RequestHead = {
  readonly method: string
  readonly path: string
  readonly query: string
  /** The announced size of the body; undefined if there is none. */
  readonly contentLength: number | undefined
  readonly isTooLarge: boolean
  /**
   * Whether there are several Host headers. Such a request is refused, because two components could use different
   * hosts.
   */
  readonly hasTwoHosts: boolean
  first(name: string): string | undefined
  count(name: string): number
}

/** Headers of a single HTTP/1.1 connection, which HTTP/2 forbids (RFC 9113 8.2.2). */
export const connectionHeaders: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
])
const requestPseudo: ReadonlySet<string> = new Set([':method', ':scheme', ':path', ':authority'])
const namePattern = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/
/** NUL, CR and LF are not permitted anywhere, space and tab not at the ends (RFC 9113 8.2.1). */
export const badValue = /[\0\r\n]|^[ \t]|[ \t]$/

/** Returns undefined if the request is malformed. */
export function requestHead(
  fields: readonly Field[],
  isTooLarge: boolean,
): RequestHead | undefined {
  const pseudo = new Map<string, string>()
  const values = new Map<string, string[]>()
  for (const { name, value } of fields) {
    if (name.startsWith(':')) {
      if (!requestPseudo.has(name) || pseudo.has(name) || values.size > 0) return undefined
      if (badValue.test(value)) return undefined
      pseudo.set(name, value)
      continue
    }
    if (!isOrdinary(name, value)) return undefined
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const method = pseudo.get(':method')
  const target = pseudo.get(':path')
  if (method === undefined || !hasTarget(method, pseudo)) return undefined
  const contentLength = contentLengthOf(values.get('content-length'))
  if (contentLength === 'malformed') return undefined
  const queryAt = target?.indexOf('?') ?? -1
  return {
    method,
    path: (queryAt < 0 ? target : target?.slice(0, queryAt)) ?? '',
    query: (queryAt < 0 ? '' : target?.slice(queryAt + 1)) ?? '',
    contentLength,
    isTooLarge,
    hasTwoHosts: (values.get('host')?.length ?? 0) > 1,
    first: (name) => values.get(name)?.[0],
    count: (name) => values.get(name)?.length ?? 0,
  }
}

/** Returns the head with another value of its only content-length; undefined if the value is invalid. */
export function withContentLength(head: RequestHead, value: string): RequestHead | undefined {
  const contentLength = contentLengthOf([value])
  if (contentLength === undefined || contentLength === 'malformed') return undefined
  const { method, path, query, isTooLarge, hasTwoHosts, count } = head
  return {
    method,
    path,
    query,
    contentLength,
    isTooLarge,
    hasTwoHosts,
    first: (name) => (name === 'content-length' ? value : head.first(name)),
    count,
  }
}

/** Trailers consist of ordinary fields only (RFC 9113 8.1). */
export const areTrailers = (fields: readonly Field[]): boolean =>
  fields.every(({ name, value }) => isOrdinary(name, value))

function isOrdinary(name: string, value: string): boolean {
  if (!namePattern.test(name) || badValue.test(value) || connectionHeaders.has(name)) return false
  return name !== 'te' || value === 'trailers'
}

/** Returns whether the target is complete (RFC 9113 8.3.1, and 8.5 for CONNECT). */
function hasTarget(method: string, pseudo: ReadonlyMap<string, string>): boolean {
  if (method === 'CONNECT')
    return !pseudo.has(':path') && !pseudo.has(':scheme') && pseudo.has(':authority')
  return pseudo.has(':scheme') && (pseudo.get(':path') ?? '') !== ''
}

function contentLengthOf(values: readonly string[] | undefined): number | undefined | 'malformed' {
  if (values === undefined) return undefined
  const [value = ''] = values
  if (values.some((other) => other !== value) || !/^\d{1,15}$/.test(value)) return 'malformed'
  return Number(value)
}
