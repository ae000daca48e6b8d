// Creates the log: JSON lines on stdout, for operators. Collected events are not logged. No secret is logged: fields
// with secret-like names and texts that look like a token are replaced, bytes are never printed, and describe-error.ts
// reduces errors.

import { pino } from 'pino'

import { oneOf } from '../config/config-fields.ts'
import { describeError } from './describe-error.ts'

export type Log = pino.Logger

export const logFields = {
  LOG_LEVEL: oneOf(['debug', 'info', 'warn', 'error']).default('info').describe('the log level'),
}

const REDACTED = '[redacted]'
const DEPTH_MAX = 6

// Compared with the name in lower case, without - and _.
const SECRET_NAME =
  /authorization|secret|apikey|platformkey|token|password|cookie|privatekey|privatepem|keyfieldvalue/
// The same names with a string value in JSON text: pino passes child bindings as JSON text.
const SECRET_IN_JSON =
  /"([^"\\]*(?:authorization|secret|api[-_]?key|platform[-_]?key|token|password|cookie|private[-_]?(?:key|pem)|key[-_]?field[-_]?value)[^"\\]*)":"(?:[^"\\]|\\.)*"/gi
// A JWT anywhere in the text, or the text after an authentication scheme.
const SECRET_IN_TEXT = /\beyJ[\w-]{8,}\.[\w-]*(?:\.[\w-]*)?|\b(Bearer|Basic) [\w.~+/=-]{8,}/g

export function createLog(
  service: string,
  level: string = 'info',
  destination: pino.DestinationStream = pino.destination(1),
): Log {
  return pino(
    {
      level,
      base: { service },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }), log: redactFields },
      serializers: { err: (error: unknown) => error },
      hooks: { logMethod: keepErrorTextOut, streamWrite: redactText },
    },
    destination,
  )
}

// If only an error is logged, pino copies the error's message into the line's own message, which no formatter sees.
function keepErrorTextOut(this: Log, args: Parameters<pino.LogFn>, method: pino.LogFn): void {
  const [first, ...rest]: unknown[] = args
  if (!(first instanceof Error)) return method.apply(this, args)
  const message = typeof rest[0] === 'string' ? rest[0] : 'error'
  return method.call(this, { err: first }, message, ...rest.slice(1))
}

function redactFields(fields: Record<string, unknown>): Record<string, unknown> {
  return redactEntries(fields, 0)
}

function redactEntries(fields: object, depth: number): Record<string, unknown> {
  const shown: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    shown[name] = isSecretName(name) ? REDACTED : redactValue(value, depth + 1)
  }
  return shown
}

function redactValue(value: unknown, depth: number): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return describeError(value)
  if (value instanceof Date) return value
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (depth > DEPTH_MAX) return '[deeper]'
  if (Array.isArray(value)) return value.map((item: unknown) => redactValue(item, depth + 1))
  return redactEntries(value, depth)
}

function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name.toLowerCase().replace(/[-_]/g, ''))
}

function redactText(line: string): string {
  return line
    .replace(SECRET_IN_JSON, `"$1":"${REDACTED}"`)
    .replace(SECRET_IN_TEXT, (_, scheme?: string) => (scheme ? `${scheme} ${REDACTED}` : REDACTED))
}
