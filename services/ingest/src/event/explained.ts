// Says what to do about a body if the contract's sentence would not help: for an array, for an empty body, and for a
// body that is read as Avro only because it has neither a header for its form nor an opening brace. Other errors are
// returned unchanged.
import { guessedForm } from '@weir/contracts'
import type { BodyForm } from '@weir/contracts'
import { hasCode } from '@weir/kit'
import { refusal } from '../errors.ts'

/** `named` is the form that a header names. */
export function explained(error: unknown, body: Buffer, named: BodyForm | undefined): unknown {
  if (!hasCode(error, 'contracts.undecodable')) return error
  const undecodable = (sentence: string) => refusal('undecodable', sentence, error)
  if (body.length === 0) return undecodable('The body is empty; send one event')
  if (named !== 'avro' && beginsLikeArray(body))
    return undecodable(
      'The body begins like a JSON array; /event takes one event, and /events several, one per line (application/x-ndjson)',
    )
  if (hasMore(error))
    return undecodable(`${error.message}; /events takes several events, one per line`)
  if (named !== undefined || guessedForm(body[0]) === 'json') return error
  return undecodable(
    `The body does not begin with {, and no Content-Type says what it is, so it was read as Avro: ${error.message}. ` +
      'Send JSON with Content-Type: application/json, and Avro with avro/binary',
  )
}

/** Like `explained`, for a line of /events. */
export function explainedLine(error: unknown, line: Buffer): unknown {
  if (hasCode(error, 'contracts.undecodable') && hasMore(error)) {
    const sentence = error.message.replace(/^The body /, 'The line ')
    const advice =
      'each event must be on a line of its own, which curl keeps only with --data-binary'
    return refusal('undecodable', `${sentence}; ${advice}`, error)
  }
  const told = explained(error, line, 'json')
  if (!hasCode(told, 'contracts.undecodable')) return told
  const sentence = told.message.replace(/^The body /, 'The line ')
  const advice = sentence === 'The line is not JSON' ? '; each event must be on one line' : ''
  return refusal('undecodable', sentence + advice, told)
}

const hasMore = ({ message }: Error): boolean =>
  message.endsWith('has more after its first JSON value')

const beginsLikeArray = (body: Buffer): boolean =>
  body.toString('latin1', 0, 64).trimStart().startsWith('[')
