// The id of a request in log lines, and in the header `Svc-Request-Id` of the response: the trace id from its
// traceparent, otherwise a random id of the same form. It reveals nothing about the request.
import { randomBytes } from 'node:crypto'
import { parseTraceparent } from './traceparent.ts'

export const requestIdHeader = 'svc-request-id'

/** `traceparent`: the unparsed header, or undefined. */
export const requestIdOf = (traceparent: string | undefined): string =>
  parseTraceparent(traceparent)?.traceId ?? randomBytes(16).toString('hex')
