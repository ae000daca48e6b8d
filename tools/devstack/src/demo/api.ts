// The few HTTP calls that create the demo account.

/** An unexpected response that the demo can't handle. */
export class DemoError extends Error {}

export type DemoApi = {
  get(path: string): Promise<DemoReply>
  post(path: string, body: unknown): Promise<DemoReply>
  put(path: string, body: unknown): Promise<DemoReply>
}
export type DemoReply = { status: number; body: Record<string, unknown> }

export function createApi(baseUrl: string, key: string): DemoApi {
  const call = async (method: string, path: string, body?: unknown): Promise<DemoReply> => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(30_000),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? objectOf(text) : {} }
  }
  return {
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
    put: (path, body) => call('PUT', path, body),
  }
}

/** Returns the response if its status is one of these. Otherwise throws with auth's message. */
export function expectDemoStatus(reply: DemoReply, what: string, ...statuses: number[]): DemoReply {
  if (statuses.includes(reply.status)) return reply
  const detail = JSON.stringify(reply.body)
  throw new DemoError(`${what} failed: auth answered ${reply.status} ${detail}`)
}

export const textOf = (body: Record<string, unknown>, name: string): string => {
  const value = body[name]
  if (typeof value !== 'string') throw new DemoError(`auth's answer lacks ${name}`)
  return value
}

export function objectOf(text: string): Record<string, unknown> {
  const value: unknown = JSON.parse(text)
  if (!isJsonObject(value)) throw new DemoError('an answer is not a JSON object')
  return value
}

export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
