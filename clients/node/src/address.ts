// Addresses of services as users write them: with or without a path, with or without a slash at the end. And what is
// reported when nothing answers there.

export function serviceUrl(address: string, path: string): URL {
  const url = new URL(address)
  url.pathname = url.pathname.replace(/\/+$/, '') + path
  url.search = ''
  url.hash = ''
  return url
}

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
