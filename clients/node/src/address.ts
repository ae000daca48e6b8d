// Reads the addresses of services from options: with or without a path or a slash at the end. Also writes the messages
// about unreachable and wrong addresses.

export function serviceUrl(address: string, path: string): URL {
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  url.search = ''
  url.hash = ''
  return url
}

/** Returns the message for a response that another server must have sent, because the service never sends it. */
export const wrongAddress = (
  service: 'auth' | 'ingest' | 'output',
  origin: string,
  reason: string,
): string => `${service}Url ${origin} is not the address of ${service}: ${reason}`

/** Returns the message for a refusal without a reason. */
export const authAnswers = (origin: string, status: number): string =>
  status === 404
    ? wrongAddress('auth', origin, 'it returns 404')
    : `auth at ${origin} answers ${status}`

/** Why a service was not reached. `trouble` is for people, `cause` is Node's error. */
export type Trouble = { readonly trouble: string; readonly cause?: unknown }

export const troubleReaching = (service: string, { origin }: URL, cause: unknown): Trouble => ({
  trouble: `${service} can't be reached at ${origin}: ${reasonOf(cause)}`,
  cause,
})

/**
 * Returns the message of an error. If Node has tried several addresses of a host, the error has no message, but one
 * error per address in `errors`.
 */
export function reasonOf(error: unknown): string {
  const { message, errors }: { message?: unknown; errors?: unknown } = Object(error)
  return Array.isArray(errors) ? errors.map(reasonOf).join(', ') : String(message ?? error).trim()
}
