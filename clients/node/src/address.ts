// Addresses of services as users write them: with or without a path, with or without a slash at the end. And what is
// reported when nothing answers there.

export function serviceUrl(address: string, path: string): URL {
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  url.search = ''
  url.hash = ''
  return url
}

/** For a response that the service of this option would not give. */
export const wrongAddress = (
  service: 'auth' | 'ingest' | 'output',
  origin: string,
  reason: string,
): string => `${service}Url ${origin} is not the address of ${service}: ${reason}`

/** For a refusal without a reason. Auth itself always gives a reason. */
export const authAnswers = (origin: string, status: number): string =>
  status === 404
    ? wrongAddress('auth', origin, 'it returns 404')
    : `auth at ${origin} answers ${status}`

/** Why a service was not reached: for people, and the error of Node. */
export type Trouble = { readonly trouble: string; readonly cause?: unknown }

export const troubleReaching = (service: string, { origin }: URL, cause: unknown): Trouble => ({
  trouble: `${service} can't be reached at ${origin}: ${reasonOf(cause)}`,
  cause,
})

/** If Node has tried several addresses of a host, the error has one error for each, and no message. */
export function reasonOf(error: unknown): string {
  const { message, errors }: { message?: unknown; errors?: unknown } = Object(error)
  return Array.isArray(errors) ? errors.map(reasonOf).join(', ') : String(message ?? error).trim()
}
