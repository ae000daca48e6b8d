// What a request is called in log lines, and in the header `Svc-Request-Id` of its answer: the id of the trace that
// its sender says it belongs to, else a random one of the same form. It tells nothing of what was asked.
import { randomBytes } from 'node:crypto'
import { parseTraceparent } from './traceparent.ts'

export const requestIdHeader = 'svc-request-id'

/** `traceparent`: the header as it came, or none. */
export const requestIdOf = (traceparent: string | undefined): string =>
  parseTraceparent(traceparent)?.traceId ?? randomBytes(16).toString('hex')
