// Says what to do about a body if the contract's sentence would not help, for example about gzip data, an Avro
// container, a JSON array, an empty body, or a body that is read as Avro only because no header names its form. Other
// errors are returned unchanged.
import { guessedForm } from '@weir/contracts'
import type { BodyForm } from '@weir/contracts'
import { hasCode } from '@weir/kit'
import { refusal } from '../errors.ts'

export const NO_ARRAY =
  'The body begins like a JSON array; /event takes one event, and /events several, one per line (application/x-ndjson)'

/** `named` is the form that a header names. */
export function explained(error: unknown, body: Buffer, named: BodyForm | undefined): unknown {
  if (!hasCode(error, 'contracts.undecodable')) return error
  const undecodable = (sentence: string) => refusal('undecodable', sentence, error)
  if (body.length === 0)
    return undecodable(
      `The body is empty; send one event${named === 'avro' ? ', with curl by --data-binary' : ''}`,
    )
  const form = named ?? guessedForm(body[0])
  const mistaken = mistakenFor(body, form)
  if (mistaken !== undefined) return undecodable(`The body ${mistaken}`)
  if (named !== 'avro' && beginsLikeArray(body)) return undecodable(NO_ARRAY)
  if (hasMore(error))
    return undecodable(`${error.message}; /events takes several events, one per line`)
  if (form === 'json') return error
  if (named === undefined)
    return undecodable(
      `The body does not begin with {, and no Content-Type says what it is, so it was read as Avro: ${error.message}. ` +
        'Send JSON with Content-Type: application/json, and Avro with avro/binary',
    )
  return body[0] === 0
    ? undecodable(
        `${error.message}. If Confluent's serializer wrote it, leave out the first five bytes`,
      )
    : error
}

/** Asks producers of /events whether they write the lengths of Avro events as Weir reads them. */
export const isLengthRight =
  'is the length of each event in four octets before it, unsigned, the highest first (big-endian)?'

/** Like `explained`, for one event of /events. */
export function explainedPart(error: unknown, part: Buffer, form: BodyForm): unknown {
  if (!hasCode(error, 'contracts.undecodable')) return error
  // Four zero octets are read as a length. In a datum without a length before it, they are often its first fields.
  if (form === 'avro' && part.length === 0)
    return refusal('undecodable', `The length before the event is 0; ${isLengthRight}`, error)
  const told = hasMore(error) ? error : explained(error, part, form)
  if (!(told instanceof Error)) return told
  const subject = form === 'json' ? 'The line ' : 'The event '
  const sentence = told.message.replace(/^The body /, subject)
  return refusal('undecodable', sentence + adviceOf(sentence, part), told)
}

function adviceOf(sentence: string, line: Buffer): string {
  if (sentence === 'The line is not JSON') return '; each event must be on one line'
  if (!sentence.endsWith(MORE)) return ''
  return line.toString('latin1').trimEnd().endsWith(',')
    ? '; an event has no comma at its end'
    : '; each event must be on a line of its own, which curl keeps only with --data-binary'
}

const MORE = 'has more after its first JSON value'
const hasMore = ({ message }: Error): boolean => message.endsWith(MORE)

export const beginsLikeArray = (body: Buffer): boolean =>
  body.toString('latin1', 0, 64).trimStart().startsWith('[')

const GZIP = Buffer.of(0x1f, 0x8b)
const CONTAINER = Buffer.from('Obj\u0001')
const beginsWith = (body: Buffer, start: Buffer): boolean =>
  body.subarray(0, start.length).equals(start)

function mistakenFor(body: Buffer, form: BodyForm): string | undefined {
  if (beginsWith(body, GZIP)) return 'begins like gzip data; send it with Content-Encoding: gzip'
  if (form === 'json') return undefined
  if (beginsWith(body, CONTAINER))
    return 'begins like an Avro container; send the event without one, in fastavro by schemaless_writer'
  if (guessedForm(body[0]) === 'json')
    return 'begins like JSON; send JSON with Content-Type: application/json'
  return undefined
}
