// Creates refusals of requests that Express or its body parser could not read. The error's `status` says that the
// request is at fault.
import { refuse } from '../refusal.ts'
import type { Refusal, SharedCode } from '../refusal.ts'

const mebibyte = 1_048_576
export const bodyBytesMax = mebibyte

export function refusalOfUnreadable(cause: unknown): Refusal<SharedCode> | undefined {
  if (!(cause instanceof Error) || !('status' in cause)) return undefined
  if (cause.status === 413)
    return refuse('too_large', `The body may have at most ${bytesMaxOf(cause)}; send less`, {
      cause,
    })
  if (cause.status === 415)
    return refuse('unsupported_encoding', 'Send the body uncompressed, or with gzip', { cause })
  if (cause.status !== 400) return undefined
  const message =
    cause instanceof URIError
      ? 'The path contains a percent sign that is not part of an encoded character'
      : 'The request cannot be read'
  return refuse('invalid_request', message, { cause })
}

/** Returns the size limit, which the body parser puts into the error. */
function bytesMaxOf(error: Error): string {
  const bytes = 'limit' in error && typeof error.limit === 'number' ? error.limit : bodyBytesMax
  return bytes < mebibyte ? `${bytes / 1_024} KiB` : `${bytes / mebibyte} MiB`
}
