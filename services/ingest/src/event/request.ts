// Reads the parts of a request, without decoding the event: the token, the contract id and the body. The first fault
// causes the refusal.
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { HttpRequest } from '@weir/http2'
import type { Access, InputStream } from '@weir/control-state'
import { refusal } from '../errors.ts'

export type RequestDeps = {
  /**
   * Returns the access that the token gives.
   * @throws AppError `invalid_token`
   */
  access: (authorization: string | undefined) => Access | Promise<Access>
  /** False while revoked tokens or this month's counts may be unknown. */
  isFresh: () => boolean
  eventBytesMax: number
  schemaIdHeaders: readonly string[]
}

const decompress = promisify(gunzip)

export function accessOf(deps: RequestDeps, request: HttpRequest): Access | Promise<Access> {
  if (!deps.isFresh())
    throw refusal(
      'unavailable',
      'The service cannot check at the moment whether tokens were revoked; try again',
    )
  if (request.headerCount('authorization') > 1)
    throw refusal('invalid_token', 'There are several Authorization headers; send one')
  return deps.access(request.header('authorization'))
}

export function inputOf({ stream, scope }: Access): InputStream {
  if (stream.kind !== 'input')
    throw refusal(
      'not_an_input_stream',
      `${stream.name} is a derived stream: events are sent with a token of its input stream`,
    )
  if (!scope.includes('send'))
    throw refusal(
      'scope_missing',
      'These credentials are for listening; sending needs the scope send',
    )
  if (!stream.enabled) throw refusal('stream_disabled', `The stream ${stream.name} is disabled`)
  return stream
}

export function encodingOf(request: HttpRequest): 'identity' | 'gzip' {
  const encoding = single(request, 'content-encoding')?.trim().toLowerCase() || 'identity'
  if (encoding !== 'identity' && encoding !== 'gzip')
    throw refusal('unsupported_encoding', 'Send the event as it is or with Content-Encoding: gzip')
  return encoding
}

export type Body = Buffer | undefined

/** Returns undefined if the body does not match its content encoding. */
export function bodyOf(deps: RequestDeps, request: HttpRequest): Body | Promise<Body> {
  const encoding = encodingOf(request)
  const body = request.body(deps.eventBytesMax)
  if (body instanceof Promise || encoding !== 'identity') return bodyIn(deps, encoding, body)
  if (body === undefined) throw tooLarge(deps)
  return body
}

async function bodyIn(
  deps: RequestDeps,
  encoding: 'identity' | 'gzip',
  reading: Body | Promise<Body>,
): Promise<Body> {
  const body = await reading
  if (body === undefined) throw tooLarge(deps)
  if (encoding === 'identity') return body
  try {
    return await decompress(body, { maxOutputLength: deps.eventBytesMax })
  } catch (error) {
    if (isTooLong(error)) throw tooLarge(deps)
    return undefined
  }
}

export function schemaIdOf(deps: RequestDeps, request: HttpRequest): string {
  for (const name of deps.schemaIdHeaders) {
    const id = single(request, name)?.trim()
    if (id !== undefined && id !== '') return id
  }
  throw refusal('schema_id_missing', 'Name the contract of the event in the header Svc-Schema-Id')
}

export const serializationTypeOf = (request: HttpRequest): string | undefined =>
  single(request, 'svc-serialization-type') ?? single(request, 'strm-serialization-type')

export function single(request: HttpRequest, name: string): string | undefined {
  if (request.headerCount(name) > 1)
    throw refusal('duplicate_header', `There are several ${name} headers; send one`)
  return request.header(name)
}

/** `hint` is appended to the sentence. */
export const tooLarge = ({ eventBytesMax }: RequestDeps, hint = '') =>
  refusal(
    'too_large',
    `An event has at most ${eventBytesMax} bytes, also when it is decompressed${hint}`,
  )

const isTooLong = (error: unknown): boolean =>
  error instanceof RangeError && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'
