// Encodes a response for its frames: header block and body. A frozen response never changes, so it is encoded only
// once: a constant 204 costs one look-up.
import { encodeHeaders } from '../hpack/encoder.ts'
import type { HttpResponse } from '../types.ts'
import { isInPieces } from '../pieces.ts'
import { badValue, connectionHeaders } from './head/request-head.ts'

export type EncodedAnswer = {
  readonly block: Buffer
  /** Whether the block contains a date set by the handler. */
  readonly hasDate: boolean
  readonly body: Buffer
}

const nothing = Buffer.alloc(0)
const kept = new WeakMap<HttpResponse, EncodedAnswer>()

export function encodeAnswer(response: HttpResponse): EncodedAnswer {
  const known = kept.get(response)
  if (known !== undefined) return known
  const made = encode(response)
  if (Object.isFrozen(response)) kept.set(response, made)
  return made
}

function encode({ status, headers = {}, body }: HttpResponse): EncodedAnswer {
  const hasNoBody = status === 204 || status === 304
  const hasPieces = isInPieces(body)
  const bytes = hasNoBody || hasPieces || body === undefined ? nothing : Buffer.from(body)
  const fields: [string, string][] = [[':status', String(status)]]
  if (typeof body === 'string' && headers['content-type'] === undefined)
    fields.push(['content-type', 'text/plain; charset=utf-8'])
  for (const [name, value] of Object.entries(headers)) fields.push([name.toLowerCase(), value])
  if (!hasNoBody && !hasPieces) fields.push(['content-length', String(bytes.length)])
  for (const [name, value] of fields)
    if (badValue.test(value) || connectionHeaders.has(name))
      throw new TypeError(`the answer's header ${name} can't be sent`)
  const hasDate = fields.some(([name]) => name === 'date')
  return { block: encodeHeaders(fields), hasDate, body: bytes }
}
